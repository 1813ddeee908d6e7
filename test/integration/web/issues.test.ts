import { expect } from "chai";
import { insertReport } from "../../support/builders.ts";
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

  it("are none of a standard that asks for less, and of none at all", async () => {
    for (const standard of ["wcag2aa", "section508", "best-practice"])
      expect((await rules(`standard=${standard}`)).headings, standard).to.equal("No findings match");
  });

  it("are all for what is no standard", async () => {
    expect((await rules("standard=x")).headings)
      .to.include("Accessibility: 1 rule")
      .and.include("HTML");
  });
});
