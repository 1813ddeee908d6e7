import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { compare } from "./compare.ts";
import { createCoverage } from "./coverage.ts";
import { loadConformance } from "./engine.ts";
import { createFamilies, type TestDocument } from "./generator/families.ts";
import { type NuServer, NuUnavailable, startNu } from "./nu-server.ts";
import { readPages } from "./pages.ts";
import { showProgress } from "./progress.ts";
import { print, resultOf } from "./result.ts";
import { createTally } from "./tally.ts";

/**
 * Compares the conformance engine with the Nu checker on documents that are derived from the grammar, and
 * on real pages.
 *
 *     npm run conformance -- [--documents 20000] [--seed 1] [--category NAME] [--real FOLDER]… [--json FILE]
 *                            [--nu URL] [--examples]
 */
const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    category: { type: "string" },
    real: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    nu: { type: "string" },
    examples: { type: "boolean", default: false },
  },
});

/** So many questions to Nu at once keep two cores busy. */
const AT_ONCE = 4;

let nu: NuServer;
try {
  nu = await startNu(values.nu);
} catch (error) {
  if (!(error instanceof NuUnavailable)) throw error;
  console.error(error.message);
  process.exit(2);
}
const { check, grammars } = await loadConformance();
const tally = createTally();
const coverage = createCoverage(grammars.html);
const started = performance.now();

async function checkBoth({ source, contentType, category, seed, step }: TestDocument) {
  const messages = await nu.check(source, contentType);
  tally.add(category, compare(messages, check(source, contentType)), `${seed} ${step}`, source);
  return messages;
}

async function checkDocuments(wanted: number): Promise<void> {
  const family = createFamilies((preset) => grammars[preset], values.category);
  let next = Number(values.seed) * 1_000_000;
  let count = 0;
  const work = async (): Promise<void> => {
    while (count < wanted) {
      const documents = family(next++);
      for (let step = documents.next([]); !step.done && count < wanted; ) {
        count++;
        const messages = await checkBoth(step.value);
        coverage.add(step.value.source);
        showProgress("documents", count, wanted);
        const errors = messages.filter(({ type }) => type === "error");
        step = documents.next(errors.map(({ lastLine = 0, message }) => ({ line: lastLine, message })));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function checkPages(folders: readonly string[]): Promise<void> {
  const pages = await readPages(folders);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let page = pages[next++]; page; page = pages[next++]) {
      await checkBoth({ ...(await page.read()), category: "real pages", seed: 0, step: page.file });
      showProgress("pages", next, pages.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

try {
  if (values.real.length === 0 || Number(values.documents) !== 20_000) await checkDocuments(Number(values.documents));
  await checkPages(values.real);
} finally {
  nu.stop();
}
const seconds = Math.round((performance.now() - started) / 1000);
const result = resultOf(tally, {
  nu: nu.version,
  seed: values.seed,
  category: values.category,
  seconds,
  coverage: coverage.summary(),
});
console.log(print(result, values.examples));
console.log(`\nNu ${nu.version}, seed ${values.seed}, ${seconds} s. ${coverage.text()}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(result, null, 1)}\n`);
