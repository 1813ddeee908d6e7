import { expect } from "chai";
import type { EngineRunner, PageTask } from "../../../src/checker/engine.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { createHtmlRunner } from "../../../src/checker/engines/html/runner.ts";
import { cacheFolder } from "../../../src/config.ts";
import type { CheckOutcome } from "../../../src/domain/findings.ts";
import { identifyIssue } from "../../../src/domain/identity/identify-issue.ts";
import { pageKey } from "../../../src/domain/identity/page-key.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { serveSite } from "../../support/site.ts";

const log = createLogger("error", { program: "test" });

/** Faults for each engine: an image without a text alternative, a button without a name, a nesting error, a bad attribute. */
const body = {
  image: '<img class="hero hero_a1b2c3d4e5" src="/pictures/a.png">',
  button: '<button id="b" class="css-1q2w3e4"></button>',
  nesting: "<p><span><div>x</div></span></p>",
  iframe: '<iframe srcdoc="&lt;img src=data:,&gt;" title="t"></iframe>',
};
const page = (parts: Partial<typeof body> = {}, before = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>t</title></head><body>${before}<main id="content"><h1>t</h1>${Object.values(
    { ...body, ...parts },
  ).join("\n")}</main></body></html>`;

const engines: Record<string, () => Promise<EngineRunner>> = {
  conformance: () => createHtmlRunner("conformance", { log, cacheDir: cacheFolder(process.env), workers: 1 }),
  "html-validate": () => createHtmlRunner("html-validate", { log, cacheDir: cacheFolder(process.env), workers: 1 }),
  "axe-core": () => {
    const policy = addressPolicy(["127.0.0.0/8", "::1/128"]);
    return createAxeRunner({ chromePath: undefined, policy, spec: reportSpec(), log });
  },
};

for (const [name, start] of Object.entries(engines))
  describe(`the fingerprints of what ${name} finds`, () => {
    let runner: EngineRunner;
    before(async () => {
      runner = await start();
    });
    after(() => runner.close());

    /** Each finding of a page as "rule fingerprint". Every call serves it from another port. */
    const fingerprints = async (source: string, path = "/a"): Promise<string[]> => {
      const site = await serveSite({ [path]: source });
      const url = `${site.origin}${path}`;
      const task: PageTask = { url, document: { source, contentType: "text/html" }, spec: reportSpec() };
      const outcome = await runner.check(task, { signal: new AbortController().signal, beforeRequest: async () => {} });
      await site.close();
      return findingsOf(outcome, url);
    };

    it("are the same for the same page from another host", async () => {
      const first = await fingerprints(page());
      expect(first).to.have.length.greaterThan(1);
      expect(await fingerprints(page())).to.deep.equal(first);
    });

    const same: [what: string, source: string][] = [
      ["a generated class is renamed", page({ image: body.image.replace("a1b2c3d4e5", "f6e7d8c9b0") })],
      ["lines move", page({}, "\n\n<!-- a comment -->\n")],
      ["siblings are added", page({ image: `<p>New.</p>${body.image}` })],
      ["attributes change their order", page({ button: '<button class="css-1q2w3e4" id="b"></button>' })],
      ["a style is set", page({ button: body.button.replace("<button", '<button style="color: black"') })],
    ];
    for (const [what, source] of same)
      it(`are the same when ${what}`, async () => {
        expect(await fingerprints(source)).to.deep.equal(await fingerprints(page()));
      });

    it("are others for another page and for another element, of that one alone", async () => {
      const first = await fingerprints(page());
      const elsewhere = await fingerprints(page(), "/b");
      expect(elsewhere.filter((finding) => first.includes(finding))).to.deep.equal([]);
      const edited = await fingerprints(page({ image: body.image.replace("a.png", "b.png") }));
      const changed = edited.filter((finding) => !first.includes(finding));
      const image = first.filter((finding) => !edited.includes(finding));
      expect(changed).to.have.length(image.length).greaterThan(0);
      expect(edited.length).to.equal(first.length);
      expect(changed.length).to.be.lessThan(first.length);
    });
  });

function findingsOf(outcome: CheckOutcome, url: string): string[] {
  if ("failure" in outcome) throw new Error(outcome.failure.detail);
  return outcome.issues
    .flatMap((issue) => identifyIssue(outcome.kind, issue, pageKey(url)).findings)
    .flatMap(({ rule, fingerprint, howMany }) => Array<string>(howMany).fill(`${rule} ${fingerprint}`))
    .sort();
}
