import { expect } from "chai";
import { insertReport } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { insertFindings } from "../../support/findings.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("The issues of a report", () => {
  let scene: PagesScene;
  let report: string;
  signedInToPages((made) => {
    scene = made;
  });
  beforeEach(async () => {
    const { database, accountId } = scene;
    report = await insertReport(database.db, {
      accountId,
      spec: { performHtmlChecks: true, performA11yChecks: true },
    });
    await insertFindings(database.db, report);
    await database.db
      .updateTable("common_issues")
      .set({ tags: ["cat.color", "wcag21aa", "wcag143"] })
      .where("kind", "=", "a11y")
      .execute();
    await database.db.updateTable("common_issues").set({ tags: [] }).where("kind", "=", "html").execute();
  });

  const rules = async (query: string) => {
    const page = await open(scene.client, `/reports/${report}/issues?${query}`);
    return { headings: textOf(page, "h2"), chosen: page("#field-standard option[selected]").val() };
  };

  it("are those that fail a standard, or a version that includes it", async () => {
    for (const standard of ["wcag21aa", "wcag22aa", "en301549"]) {
      const { headings, chosen } = await rules(`standard=${standard}`);
      expect(headings, standard).to.include("Accessibility: 1 rule").and.not.include("HTML");
      expect(chosen).to.equal(standard);
    }
  });

  it("are those about a success criterion, to which the report's list of criteria leads", async () => {
    const { headings } = await rules("criterion=1.4.3");
    expect(headings).to.include("Accessibility: 1 rule").and.not.include("HTML");
    expect((await rules("criterion=1.1.1")).headings).to.equal("No findings match");
    const page = await open(scene.client, `/reports/${report}/issues?criterion=1.4.3`);
    const chip = page('.chip[aria-current="true"]').filter((_, one) => page(one).text() === "1.4.3");
    expect(chip.attr("href")).to.equal(`/reports/${report}/issues`);
    expect(page('form input[type=hidden][name="criterion"]').attr("value")).to.equal("1.4.3");
  });

  it("are none of a standard that asks for less, and of none at all", async () => {
    for (const standard of ["wcag2aa", "section508", "best-practice"])
      expect((await rules(`standard=${standard}`)).headings, standard).to.equal("No findings match");
  });

  it("are listed with the components on several pages alone, as many pages of them as there are", async () => {
    const { database, accountId, client } = scene;
    const repeated = Array.from({ length: 12 }, (_, n) => `alt img p${n}`);
    const site = { "/": [...repeated, "alt img once"], "/two": repeated };
    const path = `/reports/${await runReport(database.db, accountId, site)}/issues`;
    const first = await open(client, path);
    const section = 'section[aria-labelledby="components"]';
    expect(textOf(first, `${section} nav`)).to.include("1 to 10 of 12");
    const next = first(`${section} a[rel=next]`).attr("href") ?? "";
    expect(next).to.match(/components=2#components$/);
    const second = await open(client, next);
    expect(second(`${section} li`).length).to.equal(2);
    expect(second(`${section} a[rel=prev]`).attr("href")).to.match(/#components$/);
  });

  it("are all for what is no standard", async () => {
    expect((await rules("standard=x")).headings)
      .to.include("Accessibility: 1 rule")
      .and.include("HTML");
  });
});
