import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import { createRandom } from "../../comparison/generator/random.ts";
import { typoAt, typoKinds, withTypo } from "../../comparison/typos/typos.ts";
import type { Message } from "../../src/messages/message.ts";
import { applied } from "../../src/repair/edits.ts";

const PAGES = new URL("../../comparison/typos/pages/", import.meta.url);
const TYPE = "text/html; charset=utf-8";
/** Characters between a typo and the first change that undoes it. */
const NEAR = 80;

describe("pages with one typo each", () => {
  let run: Awaited<ReturnType<typeof loadConformance>>["run"];
  const documents: { name: string; source: string; at: number }[] = [];

  before(async () => {
    ({ run } = await loadConformance());
    const random = createRandom(48);
    const files = readdirSync(PAGES);
    for (const kind of typoKinds)
      for (let count = 0; count < 4; ) {
        const page = readFileSync(new URL(files[(documents.length + count) % files.length] ?? "", PAGES), "utf8");
        const typo =
          typoAt(page, kind, random) ?? typoAt(readFileSync(new URL("bakery.html", PAGES), "utf8"), kind, random);
        if (!typo) throw new Error(`No page can have a typo of ${kind}.`);
        count++;
        const source = withTypo(page, typo);
        if (run(source, TYPE).messages.some(({ type }) => type === "error"))
          documents.push({ name: kind, source, at: typo.at });
      }
    expect(documents).to.have.length.above(35);
  });

  it("have at most 1.5 errors each that are no consequences, and the first change near the typo in nine of ten", () => {
    let [causes, near, mended] = [0, 0, 0];
    for (const { source, at } of documents) {
      const { messages } = run(source, TYPE, "fixes");
      const own = messages.filter(({ type, causedBy }) => type === "error" && causedBy === undefined);
      causes += own.length;
      const first = own.find(({ fix }) => fix)?.fix?.edits[0]?.start;
      if (first === undefined) continue;
      mended++;
      if (Math.abs(first - at) <= NEAR) near++;
    }
    expect(causes / documents.length).to.be.at.most(1.5);
    expect(mended / documents.length).to.be.above(0.9);
    expect(near / mended).to.be.above(0.9);
  });

  it("fold what follows to the end of a long page, not only what is near", () => {
    const section = (text: string) => `<h3>${text}</h3>\n<p>${"Some words of a manual. ".repeat(20)}</p>\n`;
    const body = Array.from({ length: 30 }, (_, index) => section(`Part ${index}`)).join("");
    const source = `<!DOCTYPE html><html lang="en"><head><title>A</title></head><body><p>In locales/<code>/LC.</p>\n${body}</body></html>`;
    const errors = run(source, TYPE, true).messages.filter(({ type }) => type === "error");
    const [first, ...others] = errors.filter(({ causedBy }) => causedBy === undefined);
    expect(errors).to.have.length.above(50);
    expect(first?.fix?.edits.map(({ text }) => text)).to.deep.equal(["</code>"]);
    expect(others).to.deep.equal([]);
  });

  it("lose just the folded findings by a change, and get no new error", () => {
    for (const { name, source } of documents) {
      const { messages } = run(source, TYPE, "fixes");
      const [cause] = messages.filter(({ fix }) => fix);
      if (!cause?.fix || messages.some(({ rule }) => rule === "not-checked-further")) continue;
      const index = messages.indexOf(cause);
      const copy = applied(source, cause.fix.edits).source;
      const folded = messages.filter((one) => one === cause || one.causedBy === index);
      const left = countsOf(messages.filter((one) => !folded.includes(one) && one.rule !== "likely-mistake"));
      expect(countsOf(run(copy, TYPE).messages), `${name}: ${cause.fix.title}`).to.deep.equal(left);
    }
  });

  it("have the same messages as before, with one more where none says the mistake", () => {
    for (const { source } of documents) {
      const plain = run(source, TYPE).messages;
      const explained = run(source, TYPE, "fixes").messages;
      const kept = explained.filter(({ rule }) => rule !== "likely-mistake");
      expect(kept.map(({ rule, message }) => `${rule} ${message}`)).to.have.members(
        plain.map(({ rule, message }) => `${rule} ${message}`),
      );
    }
  });
});

/** Errors and warnings by rule. */
function countsOf(messages: readonly Message[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type, subType, rule } of messages)
    if (type === "error" || subType) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
