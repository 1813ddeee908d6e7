import { type AssertionRow, tryRows } from "../support/assertion-rows.ts";

const rows: readonly AssertionRow[] = [
  ["an item", "<div itemscope><p itemprop=a>x</p></div>"],
  ["a property without its URL", "<div itemscope><video itemprop=a></video></div>", "microdata/itemprop"],
  ["a property with its URL", "<div itemscope><video itemprop=a src=x></video></div>"],
  ["a property outside of any item", "<p itemprop=a>x</p>", "microdata/itemprop"],
  ["a property elsewhere that itemref includes", "<div itemscope itemref=a></div><p id=a itemprop=a>x</p>"],
  ["a reference to a missing ID", "<div itemscope itemref=a></div>", "dangling-reference/itemref"],
  [
    "a reference to what is there already",
    "<div itemscope itemref=a><p id=a itemprop=a>x</p></div>",
    "microdata/itemref-redundant",
  ],
  [
    "an item in itself",
    "<div itemscope><div id=a itemprop=x itemscope itemref=b></div></div><div id=b itemprop=y itemscope itemref=a></div>",
    "microdata/itemref-circular",
  ],
  ["itemtype without itemscope", "<p itemtype=http://x/>x</p>", "microdata/itemtype"],
  ["itemref without itemscope", "<p itemref=a>x</p>", "microdata/itemref"],
  ["itemid without itemtype", "<p itemscope itemid=x:y>x</p>", "microdata/itemid"],
];

describe("microdata", () => tryRows(rows));
