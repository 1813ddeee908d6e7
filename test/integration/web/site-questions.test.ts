import { expect } from "chai";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";

const START = "https://example.com/";
const ASKED = "Does this link say enough where it stands?";

describe("The page of a site's questions", () => {
  let scene: PagesScene;
  let questions: string;
  signedInToPages((made) => {
    scene = made;
  });

  /** A link that says little on three pages, and a message that goes on one. */
  const run = () =>
    runReport(
      scene.database.db,
      scene.accountId,
      { "/": [], "/a": [], "/b": [] },
      {
        ...{ at: new Date(), spec: { startingUrl: START, performA11yChecks: true, storeIncompleteChecks: true } },
        a11y: {
          "/": ["?sv-link-purpose a path-1", "image-alt img path-0"],
          "/a": ["?sv-link-purpose a path-1", "?sv-message-time p path-2"],
          "/b": ["?sv-link-purpose a path-1"],
        },
      },
    );

  beforeEach(async () => {
    await run();
    const { json } = await scene.service.as(scene.token)("GET", `/sites?filter[starting_url]=${START}`);
    questions = `/sites/${json.data[0]?.id}/questions`;
  });

  const answer = async (fields: Record<string, string>) => {
    const page = await open(scene.client, questions);
    return press(scene.client, page, questions, { note: "", answered_by: "Web team", ...fields });
  };

  it("asks once for all places that are alike, those that settle most first, and nothing about errors", async () => {
    const page = await open(scene.client, questions);
    expect(textOf(page, ".verdict")).to.include("4 findings are left, in 2 questions.");
    expect(page('[aria-labelledby="open"] tbody a').first().text()).to.equal(ASKED);
    expect(textOf(page, '[aria-labelledby="now"]')).to.include(ASKED).and.to.include("All 3 findings on 3 pages");
    expect(textOf(page, "main")).not.to.include("image-alt");
  });

  it("takes a yes for all of them, keeps who said it and why, and asks no more: not in later reports either", async () => {
    const { location } = await answer({ answer: "yes", note: "The heading above says it." });
    expect(location).to.equal(`${questions}?done=saved`);
    for (const _ of ["this report", "the next one"]) {
      const page = await open(scene.client, questions);
      expect(textOf(page, ".verdict")).to.include("1 finding is left, in 1 question.");
      expect(textOf(page, '[aria-labelledby="open"]')).not.to.include(ASKED);
      expect(textOf(page, '[aria-labelledby="done"]')).to.include("The heading above says it. – Web team");
      await run();
    }
  });

  it("asks again when an answer is taken back", async () => {
    await answer({ answer: "yes" });
    const { json } = await scene.service.as(scene.token)("GET", "/mutings?filter[category]=passed");
    await scene.service.as(scene.token)("DELETE", `/mutings/${json.data[0]?.id}`);
    expect(textOf(await open(scene.client, questions), '[aria-labelledby="open"]')).to.include(ASKED);
  });

  it("takes a no as an answer to the criterion: it fails, with the question as evidence", async () => {
    await answer({ answer: "no", note: "Nobody knows where it leads." });
    const { json } = await scene.service.as(scene.token)(
      "GET",
      questions.replace("questions", "criteria?filter[state]=failed"),
    );
    const criterion = json.data.find(({ attributes }) => attributes.number === "2.4.4");
    expect(criterion?.attributes).to.deep.include({ state: "failed" });
    expect((criterion?.attributes.answer as { evidence: string } | undefined)?.evidence)
      .to.include(ASKED)
      .and.to.include("Nobody knows where it leads.");
    expect(textOf(await open(scene.client, questions), ".verdict"), "the findings stay").to.include("4 findings");
  });

  it("keeps what was written when an answer is of nobody", async () => {
    const refused = await answer({ answer: "no", answered_by: "", note: "Seen" });
    expect([refused.status, refused("[name=note]").text()]).to.deep.equal([422, "Seen"]);
  });
});
