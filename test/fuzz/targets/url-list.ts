import assert from "node:assert/strict";
import { parseSitemap, parseTextList } from "../../../src/crawler/url-list.ts";
import type { FuzzTarget } from "../target.ts";

export const urlList: FuzzTarget = {
  name: "sitemap",
  seeds: [
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.example/</loc></url></urlset>',
    "<sitemapindex><sitemap><loc><![CDATA[http://a.example/s.xml]]></loc></sitemap></sitemapindex>",
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
    "\n <?xml version='1.0'?><urlset><url new><loc>http://a.example/?a=1&b=2&eacute;&copy</loc></url></urlset>",
    "http://a.example/\n# comment\nhttp://a.example/b\n",
  ],
  words: [
    "<urlset>",
    "</urlset>",
    "<url>",
    "<loc>",
    "</loc>",
    "<sitemapindex>",
    "<!ENTITY ",
    "<![CDATA[",
    "]]>",
    "<!--",
    "&#x26;",
    "&amp;",
    "&nbsp;",
    "&",
  ],
  run(input) {
    const text = input.toString("utf8");
    for (const list of [parseSitemap(text), parseTextList(text)]) {
      if (!list) continue;
      const found = [...list.urls, ...list.sitemaps];
      assert.equal(new Set(found).size, found.length, "each is there once");
      for (const url of found) assert.equal(url.trim(), url);
      assert(!found.includes(""));
      // What the document declares is not expanded, so nothing grows.
      assert(found.join("").length <= text.length * 2);
      for (const { howMany, detail } of list.problems ?? []) assert(howMany > 0 && detail.length < 1_000);
    }
  },
};
