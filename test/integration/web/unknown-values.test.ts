import { expect } from "chai";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("A value of an address that a page does not know", () => {
  let scene: PagesScene;
  let report: string;
  signedInToPages((made) => {
    scene = made;
  });
  beforeEach(async () => {
    report = await runReport(scene.database.db, scene.accountId, { "/": ["alt img a"] });
  });

  const notice = "main > div > [role=status]";
  const pages: [path: string, typed: string, meant: string][] = [
    ["/", "sort=critcal-desc", "sort=critical-desc"],
    ["/", "q=shop&show=worst", "q=shop&show=worse"],
    ["/guides", "kind=htm", "kind=html"],
    ["/reports/:id/issues", "impact=critcal&state=new", "impact=critical&state=new"],
    ["/reports/:id/issues", "role=templete", "role=template"],
    ["/reports/:id/pages", "result=erors", "result=errors"],
    ["/reports/:id/editors", "role=desing", "role=design"],
  ];
  for (const [path, typed, meant] of pages)
    it(`is said with the one that was probably meant: ${path}?${typed}`, async () => {
      const page = await open(scene.client, `${path.replace(":id", report)}?${typed}`);
      expect(page.status).to.equal(200);
      expect(textOf(page, notice)).to.include("Did you mean");
      const link = new URL(page(`${notice} a`).attr("href") ?? "", "http://localhost");
      expect([...link.searchParams].sort()).to.deep.equal([...new URLSearchParams(meant)].sort());
      expect(page(notice).find("a").length).to.equal(1);
    });

  it("is said without another one when it is like none, and as text", async () => {
    const page = await open(scene.client, `/reports/${report}/issues?state=${encodeURIComponent("<b>other</b>")}`);
    expect(textOf(page, notice)).to.equal("There is no “<b>other</b>” for “State”, so that is not looked at.");
    expect(page(`${notice} a`).length).to.equal(0);
  });

  it("is not looked for where all are known, or empty", async () => {
    for (const query of ["", "state=new&impact=", "text=anything"])
      expect((await open(scene.client, `/reports/${report}/issues?${query}`))(notice).length, query).to.equal(0);
  });
});
