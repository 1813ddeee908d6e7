import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { hidable } from "../../../src/checker/engines/axe/clobbering.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const faults =
  '<p style="color:#999;background:#fff">Grey</p><img src="data:,"><ul><p>x</p></ul><div role=checkbox></div>';

/** Two forms with the same faults: one around a control of this name, and one within it. */
const forms = (name: string): string => `
  <form aria-label="in ${name}"><select name="${name}" aria-label=x><option>a<option>b</select>${faults}</form>
  <fieldset name="${name}" form="f-${name}"><form id="f-${name}" role=list style="overflow:auto">${faults}</form></fieldset>`;

const document = (body: string): string =>
  `<!DOCTYPE html><html lang=en><title>Forms</title><main><h1>Forms</h1>${body}</main>`;

/** What the prototypes of a form have, besides what axe-core looks for. */
const listMembers = `<script>
  const names = [];
  for (let of = HTMLFormElement.prototype; of; of = Object.getPrototypeOf(of)) names.push(...Object.getOwnPropertyNames(of));
  fetch("/members", { method: "POST", body: JSON.stringify(names) });
</script>`;

describe("forms whose controls are named like members", function () {
  this.timeout(limitOf(60));
  let runner: EngineRunner;
  let site: Site;
  let members: string[] = [];

  const serve = async (routes: Routes): Promise<Site> => {
    await site?.close();
    site = await serveSite(routes);
    return site;
  };
  /** How many elements each rule finds. */
  const countsOf = async (url: string): Promise<Record<string, number>> => {
    const task = { url, document: undefined, spec: reportSpec() };
    const outcome = await runner.check(task, {
      signal: new AbortController().signal,
      beforeRequest: async () => {},
    });
    if (outcome.kind !== "a11y" || "failure" in outcome) throw new Error(JSON.stringify(outcome));
    return Object.fromEntries(outcome.issues.map(({ rule, html, how_many }) => [rule, how_many ?? html.length]));
  };

  before(async () => {
    const policy = addressPolicy(["127.0.0.0/8"]);
    const log = createLogger("error", {});
    runner = await createAxeRunner({ chromePath: undefined, policy, spec: reportSpec(), log, timeLimitMs: 120_000 });
    const receive: Routes[string] = async (request, response) => {
      members = JSON.parse(Buffer.concat(await request.toArray()).toString());
      response.end();
    };
    const { url } = await serve({ "/": document(listMembers), "/members": receive });
    await countsOf(url);
  });
  after(async () => {
    await runner.close();
    await site.close();
  });

  it("hide nothing from axe-core, whichever member it is", async () => {
    expect(members).to.include.members(["childNodes", "shadowRoot", "getAttribute", "length", "constructor"]);
    const names = [...new Set([...members, ...hidable, "then", "toJSON", "contentDocument", "props", "children"])];
    const parts = Array.from({ length: 8 }, (_, part) => names.filter((_name, index) => index % 8 === part));
    const { url } = await serve({
      "/": document(forms("harmless")),
      ...Object.fromEntries(parts.map((part, index) => [`/${index}`, document(part.map(forms).join(""))])),
    });
    const one = await countsOf(url);
    expect(one).to.deep.equal({
      "aria-allowed-role": 1,
      "aria-required-children": 1,
      "aria-required-attr": 2,
      "aria-toggle-field-name": 2,
      "color-contrast": 2,
      "image-alt": 2,
      list: 2,
    });
    for (const [index, part] of parts.entries()) {
      const expected = Object.fromEntries(Object.entries(one).map(([rule, count]) => [rule, count * part.length]));
      expect(await countsOf(`${url}${index}`), part.join(" ")).to.deep.equal(expected);
    }
  });

  it("hide nothing in frames, and keep the places of elements", async () => {
    const { url } = await serve({
      "/": document('<iframe title=f src="/frame"></iframe>'),
      "/frame": document(forms("childNodes")),
    });
    expect((await countsOf(url))["image-alt"]).to.equal(2);
  });
});
