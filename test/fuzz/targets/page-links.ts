import assert from "node:assert/strict";
import { readLinks } from "../../../src/crawler/page-links.ts";
import type { FuzzTarget } from "../target.ts";

export const pageLinks: FuzzTarget = {
  name: "page links",
  seeds: [
    '<base href="/b/"><a href="c?d&amp;e#f">x</a><link rel="canonical" href="/g"><area href=//h.example/i>',
    "<A HREF='javascript:x'>y</A><!-- <a href=z> --><script><a href=1></script><a href='&#x68;ttp://a'>",
  ],
  words: [
    "<a href=",
    "<base href=",
    "<link rel=canonical href=",
    "<area ",
    "</a>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "&amp;",
    "&#x",
    "<svg>",
    "<![CDATA[",
  ],
  run(input) {
    const source = input.toString("utf8");
    const { links, canonical } = readLinks(source, "https://example.com/dir/page");
    assert.equal(new Set(links).size, links.length, "each is there once");
    for (const link of links) {
      const url = URL.parse(link);
      if (url && url.href === link) assert.match(url.protocol, /^https?:$/);
      assert(!link.includes("#") || !url || url.hash === "" || link !== url.href);
    }
    if (canonical !== undefined) assert(URL.canParse(canonical));
  },
};
