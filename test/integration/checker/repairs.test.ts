import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import type { CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { reportSpec } from "../../support/builders.ts";
import { startEngine } from "../../support/identified.ts";
import { serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

/** What is found on a page, by rule, and how much of it was gone in a repaired copy; with the paths that were requested. */
async function repairsOn(runner: EngineRunner, source: string) {
  const site = await serveSite({ "/a": source, "/a.png": "", "/delete": "deleted" });
  const task = {
    ...{ url: `${site.origin}/a`, spec: reportSpec() },
    document: { source, contentType: "text/html; charset=utf-8" },
  };
  const outcome: CheckOutcome = await runner.check(task, {
    ...{ signal: new AbortController().signal, beforeRequest: async () => {} },
  });
  const requested = site.requests.map(({ path }) => path);
  await site.close();
  if ("failure" in outcome) throw new Error(outcome.failure.detail);
  const errors = outcome.issues.filter(({ issue_type }) => issue_type === "error");
  const gone = Object.fromEntries(
    errors.map(({ rule, html }) => [rule, `${html.filter(({ repaired }) => repaired).length} of ${html.length}`]),
  );
  return { gone, requested };
}

const page = (body: string, head = "") =>
  `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title>${head}</head><body>${body}</body></html>`;

describe("errors that are mended in a copy of the source", () => {
  let runner: EngineRunner;
  before(async () => {
    runner = await startEngine("conformance");
  });
  after(() => runner.close());

  it("are gone when the copy is checked again", async () => {
    const { gone } = await repairsOn(
      runner,
      page(
        '<h1>A</h1><img src="a.png"><center>b</center><p id="n">c</p><p id="n">d</p><table><tr><td align="right">1</td></tr></table>',
      ),
    );
    expect(gone).to.deep.equal({ "img/alt": "1 of 1", "obsolete-element": "1 of 1", "duplicate-id": "1 of 1" });
  });

  it("are gone with what they follow from, beside other changes", async () => {
    const typo = '<h1>A</h1><p><a href="/b>one</a> two</p><p class="c">three</p>';
    for (const body of [typo, `${typo}<img src="a.png">`]) {
      const { gone } = await repairsOn(runner, page(body));
      expect(Object.keys(gone)).to.have.length.above(2);
      for (const [rule, number] of Object.entries(gone)) expect(number, rule).to.match(/^(\d+) of \1$/);
    }
  });

  it("are not, where nobody but a person knows what is right", async () => {
    const { gone } = await repairsOn(runner, page("<h1>A</h1><unknown>b</unknown>"));
    expect(Object.values(gone)).to.deep.equal(["0 of 1"]);
  });

  it("are not, where the change brings an error; the others of the page are", async () => {
    const { gone } = await repairsOn(
      runner,
      page('<h1>A</h1><img src="a.png"><p><strike><marquee>b</marquee></strike></p>'),
    );
    expect(gone["img/alt"]).to.equal("1 of 1");
    expect(gone["obsolete-element"]).not.to.equal("2 of 2");
  });
});

describe("errors that are mended in the page that is loaded", () => {
  let runner: EngineRunner;
  before(async function () {
    this.timeout(limitOf(60));
    runner = await startEngine("axe-core");
  });
  after(() => runner.close());

  it("are gone when its rules run again, also by the change of another element", async () => {
    const { gone } = await repairsOn(
      runner,
      page(
        '<main><h1>A</h1><a href="/"><img src="/a.png"></a><p style="color: #aaa">pale</p><input><button></button></main>',
        "<style>p { transition: color 1s }</style>",
      ),
    );
    for (const rule of ["image-alt", "link-name", "color-contrast", "label", "button-name"])
      expect(gone[rule], rule).to.equal("1 of 1");
  });

  it("are those of a missing landmark, too", async () => {
    const { gone } = await repairsOn(runner, page("<div><h1>A</h1><p>All of the text stands here.</p></div>"));
    expect(gone).to.deep.equal({ "landmark-one-main": "1 of 1", region: "1 of 1" });
  });

  it("let no script of the page run, and load nothing that its style sheet wants", async () => {
    const { gone, requested } = await repairsOn(
      runner,
      page(
        `<main><h1>A</h1><img src="/a.png"><script>
          new MutationObserver(() => { document.title = "seen"; fetch("/delete", { method: "POST" }); })
            .observe(document, { subtree: true, attributes: true });
          setInterval(() => document.querySelector("[alt]") && fetch("/delete", { method: "POST" }), 1);
        </script></main>`,
        "<style>[alt] { background: url(/delete) }</style>",
      ),
    );
    expect(gone["image-alt"]).to.equal("1 of 1");
    expect(requested).not.to.include("/delete");
  });
});
