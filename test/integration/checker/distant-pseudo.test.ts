import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { withoutDistantPseudos } from "../../../src/checker/engines/axe/distant-pseudo.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { type Site, serveSite } from "../../support/site.ts";

/**
 * What is said of the contrast of a text, `#t`, on white; of each the pale one, which fails wherever its background is known, and a
 * black one, which passes there; where the box is seen behind the text, it is the other way round. `box` is the style of a black `::before` of `#b`, which is 200 pixels wide and 20 high.
 */
type Case = { name: string; box: string; says: "known" | "behind" | "review"; style?: string; body?: string };

const TEXT = '<div id="b"><p id="t">We bake bread</p></div>';
const cases: Case[] = [
  { name: "beside the text", box: "left: -80px; top: 0", says: "known" },
  { name: "below the text", box: "left: 0; top: 60px", says: "known" },
  { name: "right of it, by a distance from the right", box: "right: -80px; top: 0", says: "known" },
  { name: "above it by a margin", box: "left: 0; top: 0; margin-top: -40px", says: "known" },
  { name: "not seen at all", box: "inset: 0; width: auto; opacity: 0", says: "known" },
  {
    name: "beside the text, in an element that is not positioned",
    box: "left: -80px; top: 0",
    style: "#b { position: static } body { position: relative; margin-left: 100px }",
    says: "known",
  },
  { name: "behind the text", box: "inset: 0; width: auto", says: "behind" },
  { name: "seen a little", box: "inset: 0; width: auto; opacity: 0.01", says: "known" },
  {
    name: "moved to the text by a transformation",
    box: "left: -80px; top: 0; transform: translateX(80px)",
    says: "review",
  },
  { name: "moved to the text by translate", box: "left: -80px; top: 0; translate: 80px", says: "review" },
  { name: "scaled up to the text", box: "left: -80px; top: 0; scale: 8", says: "behind" },
  { name: "moved to the text by a margin", box: "left: -80px; top: 0; margin-left: 80px", says: "review" },
  { name: "with a shadow at the text", box: "left: -80px; top: 0; box-shadow: 80px 0 black", says: "review" },
  {
    name: "with a wide border at the text",
    box: "left: -80px; top: 0; border-right: 80px solid black",
    says: "review",
  },
  { name: "with padding at the text", box: "left: -80px; top: 0; padding-right: 80px", says: "review" },
  { name: "blurred", box: "left: -80px; top: 0; filter: blur(30px)", says: "known" },
  { name: "with a picture that may be larger", box: "left: -80px; top: 0; content: url('data:,')", says: "known" },
  {
    name: "moving to the text",
    box: "left: -80px; top: 0; animation: go 9s infinite alternate",
    style: "@keyframes go { to { left: 0 } }",
    says: "review",
  },
  {
    name: "fading in",
    box: "inset: 0; width: auto; opacity: 0; animation: go 900s infinite alternate steps(2, start)",
    style: "@keyframes go { to { opacity: 1 } }",
    says: "review",
  },
  {
    name: "relative to an element that is scaled",
    box: "left: 260px; top: 0",
    style: "#b { transform: scale(0.5); width: 600px } #t { width: 300px }",
    says: "known",
  },
  {
    name: "relative to what contains it without a position",
    box: "left: 8px; top: 0",
    style: "#b { position: static; margin-left: 300px; contain: layout } body { position: relative }",
    says: "review",
  },
  {
    name: "beside an element out of which the text flows to it",
    box: "left: 100px; top: 0",
    style: "#t { width: 50px; white-space: nowrap }",
    body: TEXT.replace("bread", "bread every morning, and deliver it by bicycle"),
    says: "review",
  },
  {
    name: "in what has been scrolled",
    box: "left: 0; top: 100px",
    style: "#b { overflow: hidden; height: 60px; width: 200px } #t { margin-top: 100px }",
    body: `${TEXT.replace("</div>", '<div style="height: 900px"></div></div>')}<script>b.scrollTop = 100</script>`,
    says: "review",
  },
];

const pageOf = ({ box, style = "", body = TEXT }: Case, colour: string): string => `<!DOCTYPE html><html lang="en">
  <title>Bread</title><style>
    body { background: white; margin: 100px 200px } p { margin: 0; font-size: 16px; line-height: 20px; color: ${colour} }
    #b { position: relative; width: 200px }
    #b::before { content: ""; position: absolute; width: 60px; height: 20px; background: black; z-index: -1; ${box} }
    ${style}</style><main><h1 style="color: black">Bread</h1>${body}</main></html>`;

describe("The contrast of a text beside a pseudo-element", () => {
  let runner: EngineRunner;
  let site: Site;
  const spec = reportSpec({ performA11yChecks: true, storeIncompleteChecks: true });

  before(async () => {
    const policy = addressPolicy(["127.0.0.0/8"]);
    const pages = cases.flatMap((one, at) => [
      [`/${at}/pale`, pageOf(one, "#aaa")],
      [`/${at}/dark`, pageOf(one, "black")],
    ]);
    [runner, site] = await Promise.all([
      createAxeRunner({ chromePath: undefined, policy, spec, log: createLogger("error", {}) }),
      serveSite(Object.fromEntries(pages)),
    ]);
  });
  after(async () => {
    await runner?.close();
    await site?.close();
  });

  const contrastOf = async (path: string): Promise<string> => {
    const task = { url: new URL(path, site.url).href, document: undefined, spec };
    const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
    const outcome = await runner.check(task, options);
    if (outcome.kind !== "a11y" || "failure" in outcome) throw new Error(JSON.stringify(outcome));
    return outcome.issues.find(({ rule }) => rule === "color-contrast")?.issue_type ?? "passes";
  };

  for (const [at, { name, says }] of cases.entries())
    it(`is ${says === "review" ? "left to a person" : "judged"} if that is ${name}`, async () => {
      const said = [await contrastOf(`/${at}/pale`), await contrastOf(`/${at}/dark`)];
      const wanted = { known: ["error", "passes"], behind: ["passes", "error"], review: ["warning", "warning"] };
      expect(said).to.deep.equal(wanted[says]);
    });

  it("is judged in a place of axe-core's source that is there once", async () => {
    const source = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
    const changed = withoutDistantPseudos(source);
    expect(changed.split("$isApart($own,").length - 1).to.equal(2);
    expect(changed.includes(source)).to.equal(false);
  });
});
