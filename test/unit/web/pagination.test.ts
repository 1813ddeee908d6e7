import { expect } from "chai";
import { load } from "cheerio";
import { fittingSize } from "../../../src/database/lists.ts";
import { html, render } from "../../../src/web/html.ts";
import { pageQuery, pagination } from "../../../src/web/parts/table.ts";

const href = (path: string, query: Readonly<Record<string, string | undefined>> = {}) =>
  `${path}?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])))}`;

/** Reads a list as the API does: of large rows a page has fewer than asked for. */
function readPage(query: URLSearchParams, rows: readonly number[], asked: number, name: string) {
  const wanted = pageQuery(query, asked, name);
  const limit = Number(wanted["page[size]"]);
  const offset = (Number(wanted["page[number]"]) - 1) * limit;
  const size = fittingSize(rows.slice(offset, offset + limit), { limit, offset }, 100);
  const listed = rows.map((_, index) => index).slice(offset, offset + size);
  const meta = { total: rows.length, page_size: size };
  const nav = load(
    render(html`<div>${pagination({ path: "/list", query, href }, "List", meta, { name, size: asked })}</div>`),
  );
  return {
    listed,
    text: nav("span").text(),
    next: nav("a[rel=next]").attr("href"),
    prev: nav("a[rel=prev]").attr("href"),
  };
}

describe("The links to the pages of a list", () => {
  for (const { name, rows } of [
    { name: "small rows", rows: Array.from({ length: 35 }, () => 1) },
    { name: "large rows", rows: Array.from({ length: 35 }, () => 21) },
    { name: "large rows after small ones", rows: Array.from({ length: 35 }, (_, index) => (index < 13 ? 1 : 40)) },
    { name: "rows that fill a page alone", rows: Array.from({ length: 11 }, () => 500) },
  ])
    it(`lead to every row of ${name} in order, and say which there are`, () => {
      let query = new URLSearchParams({ other: "x" });
      const seen: number[] = [];
      for (let pages = 0; pages < 50; pages += 1) {
        const { listed, text, next } = readPage(query, rows, 10, "part");
        expect(text).to.equal(`${(listed[0] ?? 0) + 1} to ${(listed.at(-1) ?? 0) + 1} of ${rows.length}`);
        seen.push(...listed);
        if (next === undefined) break;
        query = new URL(next, "http://localhost").searchParams;
        expect(query.get("other")).to.equal("x");
      }
      expect(seen).to.deep.equal(rows.map((_, index) => index));
    });

  it("have no size while pages have as many rows as were asked for", () => {
    const { next } = readPage(
      new URLSearchParams(),
      Array.from({ length: 35 }, () => 1),
      10,
      "part",
    );
    expect(next).to.equal("/list?part=2");
  });

  it("lead to the list's own section, on pages with others before it", () => {
    const of = { path: "/list", query: new URLSearchParams({ muted: "true", done: "muted" }), href };
    const nav = pagination(of, "List", { total: 35, page_size: 10 }, { name: "part", size: 10, section: "parts" });
    expect(load(render(html`<div>${nav}</div>`))("a[rel=next]").attr("href")).to.equal("/list?muted=true&part=2#parts");
  });

  it("take no size that is larger than the page's own", () => {
    for (const size of ["500", "0", "-1", "x", "1e9"])
      expect(pageQuery(new URLSearchParams({ page_size: size }), 25)["page[size]"], size).to.equal("25");
  });
});
