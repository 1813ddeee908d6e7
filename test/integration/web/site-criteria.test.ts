import { expect } from "chai";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";

const START = "https://shop.example/";

describe("The pages of a site's criteria", () => {
  let scene: PagesScene;
  let criteria: string;
  let statement: string;
  signedInToPages((made) => {
    scene = made;
  });

  beforeEach(async () => {
    const spec = { startingUrl: START, performA11yChecks: true };
    await runReport(
      scene.database.db,
      scene.accountId,
      { "/": [], "/a": [] },
      {
        ...{ at: new Date(), spec },
        a11y: { "/": ["image-alt img path-0"] },
      },
    );
    const { json } = await scene.service.as(scene.token)("GET", `/sites?filter[starting_url]=${START}`);
    criteria = `/sites/${json.data[0]?.id}/criteria`;
    statement = `/sites/${json.data[0]?.id}/statement`;
  });

  const answer = async (number: string, fields: Record<string, string>) => {
    const page = await open(scene.client, `${criteria}?answer=${number}`);
    return press(scene.client, page, criteria, { criterion: number, act: "save", ...fields });
  };

  it("take the answer of a person, show it, and take it back", async () => {
    const { location } = await answer("2.4.3", {
      outcome: "failed",
      answered_by: "Web team",
      evidence: "The focus jumps",
    });
    expect(location).to.equal(`${criteria}?done=saved`);
    const shown = await open(scene.client, `${criteria}?state=failed`);
    expect(textOf(shown, "tbody"))
      .to.include("2.4.3 Focus Order")
      .and.to.include("The focus jumps")
      .and.to.include("Web team");
    await answer("2.4.3", { outcome: "failed", answered_by: "Web team", act: "take-back" });
    expect(textOf(await open(scene.client, `${criteria}?state=failed`), "main")).not.to.include("The focus jumps");
  });

  it("take an answer without evidence, and keep what the form does not ask for", async () => {
    const pages = [{ url: `${START}a`, outcome: "passed" }];
    const path = `${criteria.replace("?", "/")}/2.4.3`;
    const call = scene.service.as(scene.token);
    await call("PATCH", path, {
      attributes: { outcome: "passed", answered_by: "Web team", evidence: "Tabbed", pages },
    });
    const { location } = await answer("2.4.3", { outcome: "failed", answered_by: "Agency", evidence: "" });
    expect(location).to.equal(`${criteria}?done=saved`);
    const { json } = await call("GET", `${criteria}?filter[state]=failed`);
    expect(json.data[0]?.attributes.answer).to.deep.include({ outcome: "failed", evidence: null, pages });
  });

  it("say the year of an answer, and of the day by which a failure is mended", async () => {
    const due = `${new Date().getUTCFullYear() + 1}-02-09`;
    await answer("2.4.3", { outcome: "failed", answered_by: "Agency", evidence: "Jumps", due_on: due });
    expect(textOf(await open(scene.client, criteria), "tbody")).to.include(`${new Date().getUTCFullYear()}`);
    const shown = await open(scene.client, statement);
    expect(textOf(shown, '[aria-labelledby="problems"]')).to.include(`9 Feb ${due.slice(0, 4)}`);
    expect(textOf(shown, '[aria-labelledby="missing"]')).not.to.include("have no day");
  });

  it("keep what was written when an answer is of nobody", async () => {
    const refused = await answer("2.4.3", { outcome: "passed", answered_by: "", evidence: "Seen on 12 pages" });
    expect(refused.status).to.equal(422);
    expect(refused("[name=evidence]").text()).to.equal("Seen on 12 pages");
  });

  it("count each criterion in one chip", async () => {
    const page = await open(scene.client, criteria);
    const counts = page(".chip .quiet")
      .map((_, chip) => Number(page(chip).text()))
      .get();
    expect(counts.reduce((sum, one) => sum + one)).to.equal(
      page("tbody tr").length - page('[aria-labelledby="sample"] tbody tr').length,
    );
  });

  it("lead to the statement, which says what is missing, and to its files", async () => {
    await answer("1.4.11", { outcome: "failed", answered_by: "Agency", evidence: "Borders 1.6 to 1" });
    const page = await open(scene.client, statement);
    expect(textOf(page, '[aria-labelledby="missing"]')).to.include("There is nobody to write to.");
    expect(textOf(page, '[aria-labelledby="problems"]')).to.include("Borders 1.6 to 1").and.to.include("no date yet");
    await press(scene.client, page, statement, {
      operator: "Market hall",
      contact: "access@shop.example",
      answer_within_days: "14",
    });
    expect(textOf(await open(scene.client, statement), '[aria-labelledby="missing"]')).not.to.include(
      "nobody to write to",
    );
    const file = await scene.client.get(`${statement}.earl.jsonld`);
    expect(file.html).to.include("earl:Assertion");
  });
});
