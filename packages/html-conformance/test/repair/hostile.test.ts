import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import { hostile } from "../support/hostile.ts";

const HEAD = '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>';
const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join("");

/** Pages of up to 1 MB in which a search for causes would look through everything again and again. */
const pages: readonly (readonly [what: string, body: string])[] = [
  ["elements in each other that are not closed", "<span>".repeat(160_000)],
  ["end tags of nothing in a deep tree", "<span>".repeat(600) + "</b>".repeat(200_000)],
  ["elements without markup and without an end", "<script x>\n".repeat(90_000)],
  ["elements without markup and without an end, torn", "<iframe\n>".repeat(90_000)],
  ["attributes of different wrong names", many(60_000, (index) => `<p a${index}"=1>x`)],
  ["different unknown elements", many(60_000, (index) => `<p${index}>x`)],
  ["one line of elements that are not closed", "<b><a>x".repeat(100_000)],
  ["elements that are not closed, on lines of their own", "<div>\n  <b>x\n".repeat(60_000)],
  ["white space in a value that does not end", `<p class="a" title=" x${" ".repeat(300_000)}y<b>x</b>"`],
  ["a tag with the same attribute again and again", `<p ${"a=1 ".repeat(200_000)} b"c>`],
  ["a tag with many attributes and a quote", `<p ${many(100_000, (index) => `a${index}=1 `)} b"c <b>x`],
  ["a mistake in a deep tree", `${"<div>".repeat(50_000)}<p a="b>x</p><p c="d">`],
  ["values that do not end", '<p a="b>x</p>\n'.repeat(60_000)],
];

// Takes more than 10 s of processor time: 21 pages of up to 1 MB, each of which would take minutes if it were looked through once a message.
describe("the search for causes", () => {
  let run: Awaited<ReturnType<typeof loadConformance>>["run"];
  before(async () => {
    ({ run } = await loadConformance());
  });

  const all = [...pages.map(([what, body]) => [what, HEAD + body] as const), ...hostile];
  for (const [what, source, contentType = "text/html"] of all)
    it(`ends with ${what}`, () => {
      const before = process.cpuUsage();
      expect(run(source, contentType, "fixes").messages.length).to.be.below(40_000);
      // A bound that only what is not linear meets: each takes four seconds at most, whatever else the machine does.
      expect(process.cpuUsage(before).user / 1e6, "seconds of processor time").to.be.below(20);
    });
});
