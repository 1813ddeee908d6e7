import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { compare } from "./compare.ts";
import { createCoverage } from "./coverage.ts";
import { loadConformance } from "./engine.ts";
import { createFamilies, type TestDocument } from "./generator/families.ts";
import { type NuServer, NuUnavailable, startNu } from "./nu-server.ts";
import { readPages } from "./pages.ts";
import { showProgress } from "./progress.ts";
import { createRecorder } from "./record.ts";
import { missedTargets, print, resultOf } from "./result.ts";
import { fuzz } from "./run-fuzz.ts";
import { createTally } from "./tally.ts";

/**
 * Compares the conformance engine with the Nu checker on documents that are derived from the grammar, and
 * on real pages. Ends with 1 when the agreement is below what is promised, with 2 without Java.
 *
 *     npm run conformance -- [--documents 20000] [--seed 1] [--category NAME] [--real FOLDER]… [--json FILE]
 *                            [--nu URL] [--examples]
 *     npm run conformance -- --record [--seed 1]          writes the sample that npm test checks
 *     npm run conformance -- --fuzz 100000 [--seed 1]     without Nu: no document may make the engine fail
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
    record: { type: "boolean", default: false },
    fuzz: { type: "string" },
  },
});

/** So many questions to Nu at once keep two cores busy. */
const AT_ONCE = 4;

const seed = Number(values.seed);
const { check, grammars } = await loadConformance();
const family = createFamilies((preset) => grammars[preset], values.category);
if (values.fuzz !== undefined) {
  process.exit(fuzz(check, family, seed, Number(values.fuzz)) ? 0 : 1);
}

let nu: NuServer;
try {
  nu = await startNu(values.nu);
} catch (error) {
  if (!(error instanceof NuUnavailable)) throw error;
  console.error(error.message);
  process.exit(2);
}
const recorder = createRecorder();
const tally = createTally();
const coverage = createCoverage(grammars.html);
const started = performance.now();

async function checkBoth(document: TestDocument) {
  const { source, contentType, category, seed, step } = document;
  const messages = await nu.check(source, contentType);
  const ours = check(source, contentType);
  tally.add(category, compare(messages, ours), `${seed} ${step}`, source);
  recorder.add(document, messages, ours);
  return messages;
}

async function checkDocuments(wanted: number): Promise<void> {
  let next = seed * 1_000_000;
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
for (const sentence of missedTargets(result)) {
  console.error(sentence);
  process.exitCode = 1;
}
if (values.record) console.log(`${await recorder.write()} documents are recorded.`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(result, null, 1)}\n`);
