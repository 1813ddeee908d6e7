import { expect } from "chai";
import { decodeText } from "../../../../src/domain/page-views/decode.ts";
import { matchViews } from "../../../../src/domain/page-views/match.ts";
import { readViewsFile, UnreadableViews } from "../../../../src/domain/page-views/read-file.ts";

const rows = (text: string) => readViewsFile(text).rows.map(({ address, views }) => `${address} ${views}`);

describe("A file of page views", () => {
  const understood: [what: string, text: string, format: string, expected: string[]][] = [
    ["has two columns", "path,views\n/,41200\n/products/,23900\n", "csv", ["/ 41200", "/products/ 23900"]],
    ["has them in another order, with semicolons", "Views;Path\r\n7;/a\r\n", "csv", ["/a 7"]],
    ["has marks between thousands", 'path,views\n/,"41,200"\n/a,1 200\n', "csv", ["/ 41200", "/a 1200"]],
    [
      "is pages.csv of Plausible",
      "name,visitors,pageviews,bounce_rate,time_on_page,scroll_depth\n/,12,20,50,30,80\n/pricing,4,4,60,10,40\n",
      "plausible",
      ["/ 20", "/pricing 4"],
    ],
    [
      "is Matomo's, with titles of columns",
      'Label,"Unique Pageviews",Pageviews,"Bounce Rate","Metadata: url"\ndocs,9,90,10%,\n/index,20,30,5%,https://shop.example/\n"a, b",1,2,0%,"https://shop.example/a,%20b"\nOthers,5,6,1%,\n',
      "matomo",
      ["https://shop.example/ 30", "https://shop.example/a,%20b 2"],
    ],
    ["is Matomo's, flat, with names of its API", "label\tnb_visits\tnb_hits\n/docs/a\t1\t3\n", "matomo", ["/docs/a 3"]],
    ["has remarks above", "# ----\n# Pages and screens\n# ----\n\nPage path,Views\n/,5\n", "csv", ["/ 5"]],
    ["has a line break within quotes", 'path,title,views\n/,"One\nTwo",5\n/b,x,6\n', "csv", ["/ 5", "/b 6"]],
  ];
  for (const [what, text, format, expected] of understood)
    it(`is understood when it ${what}`, () => {
      expect(rows(text)).to.deep.equal(expected);
      expect(readViewsFile(text).format).to.equal(format);
    });

  it("says of which days it is, and what it has beside pages", () => {
    const file = readViewsFile(
      "date,visitors,pageviews,hostname,page\n2026-11-02,1,2,shop.example,/a\n2026-11-01,1,3,shop.example,/a\n2026-11-03,1,4,shop.example,(none)\n",
    );
    expect(file).to.deep.include({
      format: "plausible",
      days: { first: "2026-11-01", last: "2026-11-02" },
      without: { rows: 1, views: 4 },
    });
    expect(file.rows[0]).to.deep.equal({ address: "/a", host: "shop.example", views: 2 });
  });

  const refused: [what: string, text: string, message: RegExp][] = [
    ["nothing", "", /is empty/],
    ["other columns", "date,visitors\n2026-11-01,5\n", /its columns are date, visitors.*path and views/],
    ["words for a number", "path,views\n/,5\n/a,many\n", /Line 3 has "many" in the column views/],
    ["a number below zero", "path,views\n/,-5\n", /Line 2 has "-5"/],
    ["an archive", "PK\u0003\u0004…", /Unpack it/],
    ["an open quotation mark", 'path,views\n"/,5\n', /quotation mark in line 2/],
  ];
  for (const [what, text, message] of refused)
    it(`is refused with ${what}, and says what is needed`, () =>
      expect(() => readViewsFile(text)).to.throw(UnreadableViews, message));

  it("is read in the encodings that programs write", () => {
    const text = "path,views\n/café,5\n";
    const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
    for (const bytes of [Buffer.from(text), utf16, Buffer.from(utf16).swap16(), Buffer.from(text, "latin1")])
      expect(rows(decodeText(bytes))).to.deep.equal(["/café 5"]);
  });
});

describe("Page views", () => {
  const home = "https://www.shop.example/";
  const pages = [home, `${home}a/`, `${home}list?page=2`, `${home}list`, `${home}caf%C3%A9`, `${home}#/about`];
  const matched = (...addresses: (string | [address: string, host: string])[]) => {
    const given = addresses.map((one) => ({ address: [one].flat()[0] as string, host: [one].flat()[1], views: 1 }));
    const { views, without } = matchViews(given, pages, home);
    return { views: Object.fromEntries([...views].map(([url, n]) => [url.replace(home, "/"), n])), without };
  };

  it("belong to the page with the same address, however that is written", () => {
    expect(
      matched("/", "http://shop.example", "shop.example/a", "/a", ["/a/", "shop.example"], "/café").views,
    ).to.deep.equal({
      "/": 2,
      "/a/": 3,
      "/caf%C3%A9": 1,
    });
  });

  it("belong to the page without its query, unless that is a page of its own", () => {
    expect(matched("/list?page=2", "/list?page=3&utm_source=mail", "/a?x#y", "/#/about").views).to.deep.equal({
      "/list?page=2": 1,
      "/list": 1,
      "/a/": 1,
      "/#/about": 1,
    });
  });

  it("of no page of the site are only counted", () => {
    expect(matched("/secret/token", ["/a", "other.example"], "https://%/")).to.deep.equal({
      views: {},
      without: { rows: 3, views: 3 },
    });
  });
});
