import assert from "node:assert/strict";
import { type PageLinks, readLinks } from "../../../src/crawler/page-links.ts";
import type { FuzzTarget } from "../target.ts";

export const pageLinks: FuzzTarget = {
  name: "page links",
  seeds: [
    '<base href="/b/"><a href="c?d&amp;e#f">x</a><link rel="canonical" href="/g"><area href=//h.example/i>',
    '<meta http-equiv=refresh content="0; url=/r"><svg><a xlink:href=a /></svg><iframe src=f></iframe><template><a href=t>',
    "<noscript><a href=n></noscript><frameset><frame src=x></frameset><template shadowrootmode=open><a href='?q=\u00e9'>",
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
    "</svg>",
    "xlink:href=",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<iframe src=",
    "<meta http-equiv=refresh content=0;",
    "<![CDATA[",
  ],
  run(input) {
    const source = input.toString("utf8");
    for (const encoding of ["utf-8", "windows-1251", "iso-2022-jp", "gb18030"])
      for (const xml of [false, true])
        judge(readLinks(source, "https://example.com/dir/page", { encoding, frames: true, xml }));
  },
};

function judge({ links, canonical, refresh }: PageLinks): void {
  assert.equal(new Set(links).size, links.length, "each is there once");
  for (const link of links) {
    const url = URL.parse(link);
    if (url && url.href === link) assert.match(url.protocol, /^https?:$/);
    assert(!link.includes("#") || !url || url.hash === "" || link !== url.href);
  }
  if (canonical !== undefined) assert(URL.canParse(canonical));
  if (refresh !== undefined) assert.match(new URL(refresh).protocol, /^https?:$/);
}
