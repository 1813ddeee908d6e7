import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { once } from "../../../src/domain/once.ts";
import type { HtmlEngineName } from "../../../src/schema/html-engines.ts";
import { asParsed, harmlessEdit, withOtherAddress } from "../../support/document-edits.ts";
import { type Identified, identified, startEngine } from "../../support/identified.ts";
import { requireNu } from "../../support/nu.ts";
import { type RealPage, realPages } from "../../support/real-pages.ts";
import { limitOf } from "../../support/wait.ts";

/** How many pages each engine checks, so that all of them together take a few seconds. */
const engines: Record<HtmlEngineName | "axe-core", number> = {
  conformance: 60,
  "html-validate": 25,
  nu: 8,
  "axe-core": 6,
};
const allPages = once(realPages);

for (const [name, max] of Object.entries(engines))
  describe(`the fingerprints of what ${name} finds on real pages`, () => {
    const engine = name as keyof typeof engines;
    let runner: EngineRunner;
    let pages: (RealPage & { found: Identified[] })[] = [];

    before(async function () {
      // An engine starts, and checks each page once.
      this.timeout(limitOf(60));
      if (engine === "nu") await requireNu(this);
      runner = await startEngine(engine);
      pages = await withFindings(runner, await allPages(), max);
    });
    after(() => runner?.close());

    it("are many, so that the others say something", () => {
      expect(pages).to.have.length.above(max / 2);
      expect(pages.flatMap(({ found }) => found).length).to.be.above(max * 2);
    });

    it("are the same from another host, after edits that change no fault", async () => {
      for (const { name, source } of pages) {
        const before = await identified(runner, harmlessEdit.was(source));
        const after = await identified(runner, harmlessEdit.is(source));
        expect(namesOf(after), name).to.deep.equal(namesOf(before));
      }
    });

    it("are others on another page, each of them", async () => {
      for (const { name, source, found } of pages) {
        const there = new Set(namesOf(await identified(runner, source, "/b")));
        expect(
          namesOf(found).filter((one) => there.has(one)),
          name,
        ).to.deep.equal([]);
      }
    });

    it("are others for an element that leads elsewhere, and for no other element", async () => {
      let changed = 0;
      for (const { name, source, found } of pages) {
        const edited = withOtherAddress(source, new Set(found.map(({ tag }) => tag)), 0);
        if (edited === undefined) continue;
        changed += 1;
        const now = await identified(runner, edited);
        const [lost, gained] = [missing(found, now), missing(now, found)];
        expect(lost, name).to.have.length.above(0);
        expect(gained, name).to.have.length(lost.length);
        for (const side of [lost, gained]) expect(new Set(side.map(({ tag }) => tag)).size, name).to.equal(1);
      }
      expect(changed).to.be.above(0);
    });
  });

function namesOf(found: readonly Identified[]): string[] {
  return found.map(({ fingerprint }) => fingerprint);
}

/** The first pages on which something is found. */
async function withFindings(runner: EngineRunner, pages: readonly RealPage[], max: number) {
  const kept: (RealPage & { found: Identified[] })[] = [];
  for (const { name, source } of pages) {
    if (kept.length === max) break;
    const written = withoutOtherSites(asParsed(source));
    const found = await identified(runner, written);
    if (found.length > 0) kept.push({ name, source: written, found });
  }
  return kept;
}

/** Nothing is loaded from the network: what is elsewhere is missing on the page's own site. */
function withoutOtherSites(source: string): string {
  return source.replaceAll(/\b(src|srcset|href)="(?:https?:)?\/\/[^/"]*/g, '$1="');
}

/** What one side has, and the other one has not, or not as often. */
function missing(of: readonly Identified[], elsewhere: readonly Identified[]): Identified[] {
  const left = elsewhere.map(({ fingerprint }) => fingerprint);
  return of.filter(({ fingerprint }) => {
    const at = left.indexOf(fingerprint);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
