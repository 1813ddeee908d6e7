import { expect } from "chai";
import { viewOf } from "../../../src/domain/addresses/views.ts";

const O = "https://example.com";
const most = (path: string, from: string | null = null) => viewOf(O + path, from === null ? null : O + from)?.most;
const family = (path: string, from: string) => viewOf(O + path, O + from)?.family;

describe("Views of a document", () => {
  const views = [
    "/doku.php?id=start&do=revisions",
    "/doku.php?id=start&do=edit",
    "/doku.php?id=start&do=export_raw",
    "/doku.php?id=start&rev=1700000000",
    "/w/index.php?title=Main_Page&action=history",
    "/w/index.php?title=Main_Page&oldid=12",
    "/w/index.php?title=Main_Page&diff=14&oldid=12",
    "/wiki/Main_Page?action=raw",
    "/shop/shoes?sort=price",
    "/shop/shoes?orderby=price-desc",
    "/users?filter[role]=admin",
    "/list?sort_by=name&dir=asc",
  ];
  for (const path of views) it(`are known by name: ${path}`, () => expect(most(path)).to.equal(1));

  it("are likely where a page leads to itself with a parameter more", () => {
    expect(most("/shop/shoes?color=red", "/shop/shoes")).to.equal(3);
    expect(most("/shop/shoes?color=red&size=m", "/shop/shoes?color=red")).to.equal(3);
    expect(most("/list.php?kind=a&color=red", "/list.php?kind=a")).to.equal(3);
  });

  const documents: [path: string, from: string | null][] = [
    ["/doku.php?id=start", "/doku.php"],
    ["/doku.php?id=other", "/doku.php?id=start"],
    ["/doku.php?id=other&do=show", "/doku.php?id=start"],
    ["/?p=7", "/"],
    ["/?color=red", "/"],
    ["/index.php?thing=7", "/index.php"],
    ["/blog?page=2", "/blog"],
    ["/forum?topic=7&start=20", "/forum?topic=7"],
    ["/app?lang=de", "/app"],
    ["/app?action=news", "/other"],
    ["/shoes?color=red", "/"],
    ["/shoes?color=red", null],
    ["/account?order=1734", "/account"],
    ["/about", "/"],
  ];
  for (const [path, from] of documents)
    it(`are not what is another document: ${path}, from ${from}`, () => expect(most(path, from)).to.equal(undefined));

  it("of one kind are a family, whatever document they are of", () => {
    const [one, other] = ["a", "b"].map((id) => family(`/doku.php?id=${id}&do=revisions`, "/doku.php"));
    expect(one).to.equal(other);
    expect(family("/doku.php?id=a&do=edit", "/doku.php")).to.not.equal(one);
    expect(family("/wiki/A?action=history", "/")).to.equal(family("/wiki/B?action=history", "/"));
  });
});
