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

  it("are what XHTML has left, and lists that end with a term", async () => {
    const source = page('<h1 xmlns="">A</h1><dl><dt>a</dt><dd><dl><dt>b</dt></dl></dd></dl>', '<meta charset="utf-8">');
    const { gone } = await repairsOn(runner, `<?xml version="1.0" encoding="utf-8"?>\n${source}`);
    expect(gone).to.deep.equal({
      "parse/disallowed-processing-instruction-target": "1 of 1",
      "bad-value/xmlns": "1 of 1",
      "meta/encoding-not-unique": "1 of 1",
      "missing-child/dd": "1 of 1",
    });
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

  it("are those of a page whose content is in no container, and beside other landmarks", async () => {
    const text = "<h1>A</h1>words <p>one</p><div>two</div><pre>three</pre>";
    const flat = await repairsOn(runner, page(text));
    expect(flat.gone).to.deep.equal({ "landmark-one-main": "1 of 1", region: "4 of 4" });
    const beside = await repairsOn(
      runner,
      page(`<nav><a href="/">Home</a></nav><div>two</div>${text}<footer>end</footer>`),
    );
    for (const [rule, number] of Object.entries(beside.gone)) expect(number, rule).to.match(/^(\d+) of \1$/);
  });

  it("are terms without a description, and keys that two elements have", async () => {
    const list = "<dl><dt>a</dt><dd><dl><dt>b</dt></dl></dd><dt>c</dt></dl>";
    const keys = '<a href="/a" accesskey="h">one</a> <a href="/b" accesskey="h">two</a>';
    const { gone } = await repairsOn(runner, page(`<main><h1>A</h1>${list}${keys}</main>`));
    expect(Object.keys(gone).toSorted()).to.deep.equal(["accesskeys", "definition-list"]);
    for (const [rule, number] of Object.entries(gone)) expect(number, rule).to.match(/^(\d+) of \1$/);
  });

  it("are what stands outside of the main landmark that a page has, and what no keyboard reaches", async () => {
    const outside = '<p>Words outside of it.</p><div><a href="/">More of them</a></div>';
    const box = '<pre style="width: 9em; overflow: auto">a line that is longer than its box, and is not reached</pre>';
    const { gone } = await repairsOn(runner, page(`${outside}<main><h2>A</h2>${box}</main>`));
    expect(gone).to.deep.equal({
      region: "2 of 2",
      "scrollable-region-focusable": "1 of 1",
      "page-has-heading-one": "1 of 1",
    });
  });

  it("are lists and tables that are declared as something else, and one key of three elements", async () => {
    const list =
      '<ul role="menu"><li><a href="/a" accesskey="h">one</a></li><li><a href="/b" accesskey="h">two</a></li></ul>';
    const table = "<table><tr><th></th><th>A head</th></tr><tr><td>1</td><td>2</td></tr></table>";
    const bar = '<div role="progressbar" aria-valuenow="3">3</div> <a href="/c" accesskey="h">three</a>';
    const { gone } = await repairsOn(runner, page(`<main><h1>A</h1>${list}${table}${bar}</main>`));
    expect(gone).to.have.all.keys(
      "accesskeys",
      "aria-required-children",
      "listitem",
      "empty-table-header",
      "aria-progressbar-name",
    );
    for (const [rule, number] of Object.entries(gone)) expect(number, rule).to.match(/^(\d+) of \1$/);
  });

  it("are those that are listed of a rule that finds more, beside a change of the whole page", async () => {
    const pale = Array.from({ length: 510 }, (_, n) => `<p style="color: #aaa">pale ${n}</p>`).join("");
    const { gone } = await repairsOn(runner, page(`<h1>A</h1>${pale}`));
    expect(gone["color-contrast"]).to.match(/^(\d+) of \1$/);
    expect(Number(gone["color-contrast"]?.split(" ")[0])).to.be.below(510);
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
