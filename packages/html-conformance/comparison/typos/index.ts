import { parseArgs } from "node:util";
import { parse, serialize } from "parse5";
import { searchMistakes } from "../../src/repair/search-mistakes.ts";
import { loadConformance } from "../engine.ts";
import { createRandom } from "../generator/random.ts";
import { readPages } from "../pages.ts";
import { type TypoKind, typoAt, typoKinds, withTypo } from "./typos.ts";

/**
 * Puts one mistake into each of many pages without errors, and says how often what is proposed makes the page that it was.
 *
 *     npm run typos -- --pages FOLDER… [--documents 1000] [--seed 1] [--most 20000] [--folded] [--show KIND]
 */
const { values } = parseArgs({
  options: {
    pages: { type: "string", multiple: true, default: [] },
    documents: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    most: { type: "string", default: "20000" },
    show: { type: "string" },
    folded: { type: "boolean", default: false },
  },
});
const { check, run: runAs } = await loadConformance();
const random = createRandom(Number(values.seed));
const run = (source: string) => runAs(source, "text/html; charset=utf-8");
const html = (source: string) => check(source, "text/html; charset=utf-8");
const errors = (source: string) => html(source).filter(({ type }) => type === "error");
const clean: { file: string; source: string }[] = [];
for (const page of random.shuffle(await readPages(values.pages))) {
  if (clean.length >= Number(values.documents)) break;
  const { source } = await page.read();
  if (source.length <= Number(values.most) && errors(source).length === 0) clean.push({ file: page.file, source });
}
type Row = {
  typos: number;
  same: number;
  found: number;
  sameOfFound: number;
  errors: number;
  left: number;
  placed: number;
  one: number;
  checks: number;
};
const rows = new Map<TypoKind, Row>(
  typoKinds.map((kind) => [
    kind,
    { typos: 0, same: 0, found: 0, sameOfFound: 0, errors: 0, left: 0, placed: 0, one: 0, checks: 0 },
  ]),
);
let done = 0;
let plain = 0;
let searched = 0;
const worst: number[] = [];
const per = Math.ceil(Number(values.documents) / typoKinds.length);
for (let turn = 0; done < Number(values.documents) && turn < 20 * Number(values.documents); turn++) {
  const page = clean[turn % clean.length] as (typeof clean)[0];
  const { source } = page;
  const kind = random.pick(typoKinds);
  const row = rows.get(kind) as Row;
  if (row.typos >= per) continue;
  const typo = typoAt(source, kind, random);
  if (!typo) continue;
  const broken = withTypo(source, typo);
  const t0 = performance.now();
  const whole = run(broken);
  const { messages } = whole;
  const t1 = performance.now();
  let checks = 0;
  const mistakes = searchMistakes(
    broken,
    whole,
    (text) => {
      checks++;
      return run(text);
    },
    { alone: !values.folded },
  );
  const t2 = performance.now();
  plain += t1 - t0;
  searched += t2 - t1;
  worst.push((t2 - t0) / (t1 - t0));
  const wrong = messages.filter(({ type }) => type === "error").length;
  const tree = (text: string) => serialize(parse(text)).replace(/\s+/g, " ");
  const original = tree(source);
  let repaired = broken;
  for (const { fix } of [...mistakes].sort((a, b) => (b.fix.edits[0]?.start ?? 0) - (a.fix.edits[0]?.start ?? 0)))
    for (const { start, end, text } of [...fix.edits].reverse())
      repaired = repaired.slice(0, start) + text + repaired.slice(end);
  const same = tree(repaired) === original;
  row.typos++;
  row.checks += checks;
  if (same) row.same++;
  if (wrong > 0) {
    row.found++;
    row.errors += wrong;
    if (same) row.sameOfFound++;
    const folded = new Set(mistakes.flatMap(({ gone }) => gone));
    const left = mistakes.length + messages.filter(({ type }, index) => type === "error" && !folded.has(index)).length;
    row.left += left;
    if (left <= 1) row.one++;
    const [first] = mistakes.map(({ fix }) => fix.edits[0]?.start ?? 0).sort((a, b) => a - b);
    if (first !== undefined && Math.abs(first - typo.at) <= 80) row.placed++;
  }
  if (values.show === kind && wrong > 0 && !same)
    console.log(
      `--- ${page.file} ${JSON.stringify(typo)} …${JSON.stringify(source.slice(Math.max(0, typo.at - 60), typo.at + typo.deleted + 60))}\n    ${messages
        .filter((m) => m.type === "error")
        .slice(0, 6)
        .map((m) => `${m.lastLine}:${m.lastColumn} ${m.rule}`)
        .join("; ")}\n    ${mistakes.map(({ fix }) => `${fix.title} (−${fix.removes})`).join("; ")}`,
    );
  done++;
}
worst.sort((a, b) => a - b);
console.table(
  Object.fromEntries(
    [...rows].map(([kind, row]) => [
      kind,
      {
        ...row,
        errors: (row.errors / row.found).toFixed(1),
        left: (row.left / row.found).toFixed(2),
        checks: Math.round(row.checks / row.typos),
      },
    ]),
  ),
);
const all = [...rows.values()].reduce(
  (sum, row) => Object.fromEntries(Object.entries(sum).map(([name, n]) => [name, n + row[name as keyof Row]])) as Row,
);
console.log({
  documents: all.typos,
  same: all.same / all.typos,
  sameOfFound: all.sameOfFound / all.found,
  errorsATypo: all.errors / all.found,
  left: all.left / all.found,
  one: all.one / all.found,
  placed: all.placed / all.found,
  plain: plain / done,
  searched: searched / done,
  p50: worst[worst.length >> 1],
  p99: worst[Math.floor(worst.length * 0.99)],
});
