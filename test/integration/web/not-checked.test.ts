import { expect } from "chai";
import { insertReport } from "../../support/builders.ts";
import { insertFindings } from "../../support/findings.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("What was not checked in a report", () => {
  let scene: PagesScene;
  let id: string;
  let path: string;
  signedInToPages((made) => {
    scene = made;
  });
  beforeEach(async () => {
    const { db } = scene.database;
    id = await insertReport(db, { accountId: scene.accountId });
    await insertFindings(db, id);
    const left = { report_id: id, linked_from: "https://example.com/" };
    await db
      .insertInto("excluded_urls")
      .values([
        { ...left, url: "https://example.com/cart", reason: "robots" },
        { ...left, url: "https://other.example/two", reason: "off_site" },
      ])
      .execute();
    path = `/reports/${id}/failed`;
  });

  it("is said in a sentence, and grouped by reason, the most frequent first", async () => {
    const page = await open(scene.client, path);
    expect(textOf(page, ".verdict")).to.equal("1 page could not be checked, 3 addresses were left out.");
    const groups = page("details.reason")
      .toArray()
      .map((group) => [page(group).find("summary b").text(), page(group).find("tbody tr").length]);
    expect(groups).to.deep.equal([
      ["1", 1],
      ["2", 2],
      ["1", 1],
    ]);
    expect(textOf(page, "details.reason summary")).to.include("The server responded with an error status.");
  });

  it("has the pages that could not be checked open, with what happened at each", async () => {
    const page = await open(scene.client, path);
    const shown = page("details.reason[open]");
    expect(shown.length).to.equal(1);
    expect(shown.text()).to.include("The server responded with 500 Internal Server Error.");
  });

  it("has numbers beside the reasons that are of a part, and says so, only where the list has more", async () => {
    const notice = "The numbers beside the reasons are of the 100 listed here, of 103 in all.";
    expect(textOf(await open(scene.client, path))).to.not.include("beside the reasons");
    const left = { report_id: id, linked_from: "https://example.com/", reason: "robots" } as const;
    const more = Array.from({ length: 100 }, (_, n) => ({ ...left, url: `https://example.com/cart/${n}` }));
    await scene.database.db.insertInto("excluded_urls").values(more).execute();
    expect(textOf(await open(scene.client, path), "[aria-labelledby=excluded]")).to.include(notice);
    expect(textOf(await open(scene.client, path), "[aria-labelledby=failed]")).to.not.include("beside the reasons");
  });
});
