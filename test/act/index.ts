import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { AxeResults } from "axe-core";
import type { EngineRunner } from "../../src/checker/engine.ts";
import { createAxeRunner } from "../../src/checker/engines/axe/runner.ts";
import { serveFolder } from "../../src/cli/check/targets/serve-folder.ts";
import { actingRules, tagsOfRule } from "../../src/domain/acting/rules.ts";
import type { A11yIssue } from "../../src/domain/findings/findings.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { reportSpec } from "../support/builders.ts";
import { earlReport } from "./earl.ts";
import { type Example, readExamples } from "./examples.ts";
import { type Judged, judge, type Said, summaryOf, tableOf } from "./judge.ts";
import { equalityOf, linesOf, type Run } from "./runs.ts";

/**
 * Checks examples of ACT rules as a report that acts does, and prints what was found by rule:
 *
 *     npm run act -- [FOLDER] [--only RULE] [--earl FILE] [--verbose] [--runs NUMBER]
 *
 * FOLDER has a testcases.json and the files that it names, as https://www.w3.org/WAI/content-assets/wcag-act-rules/ has them;
 * by default it is the one with our own examples. --earl writes what each rule said in W3C's format for implementations.
 * --runs checks them so often, and says which have other findings in some runs.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    earl: { type: "string" },
    verbose: { type: "boolean", default: false },
    runs: { type: "string", default: "1" },
  },
});
const [folder = new URL("../fixtures/act", import.meta.url).pathname] = positionals;
const { examples, base, leftOut } = await readExamples(folder);
const chosen = examples.filter(({ rule }) => values.only === undefined || rule.id === values.only);
if (chosen.length === 0) throw new Error(`No example in ${folder} is of the rule ${values.only}.`);
if (leftOut > 0) console.log(`${leftOut} examples are about no success criterion of level A or AA, and are left out.`);

const spec = reportSpec({
  ...{ performA11yChecks: true, a11yDepth: "acting", storeIncompleteChecks: true },
  ...{ storeRawA11yChecks: true, standard: "all" },
});
const site = await serveFolder(folder, base);
const log = createLogger("error", {});
const runner = await createAxeRunner({
  chromePath: process.env.CHROME_PATH,
  policy: addressPolicy(["127.0.0.0/8"]),
  spec,
  log,
});
try {
  const runs: Checked[] = [];
  const times = Number(values.runs);
  for (let run = 1; run <= times; run += 1) {
    const started = performance.now();
    const concurrency = () => runner.concurrency;
    runs.push(...(await inTurns(chosen, concurrency, (example) => check(runner, example))));
    if (times > 1) console.log(`run ${run} of ${times}: ${Math.round((performance.now() - started) / 1_000)} s`);
  }
  const judged = runs.slice(0, chosen.length).map((one) => one.judged);
  const { version } = runs[0] ?? { version: "" };
  console.log(tableOf(judged));
  console.log(summaryOf(judged));
  if (times > 1) {
    const { isEqual, text } = equalityOf(runs.map(({ run }) => run));
    console.log(text);
    if (!isEqual) process.exitCode = 1;
  }
  if (values.earl !== undefined)
    await writeFile(values.earl, `${JSON.stringify(earlReport(judged, version), null, 1)}\n`);
} finally {
  await runner.close();
  await site.close();
}

type Checked = { judged: Judged; run: Run; version: string };

async function check(engine: EngineRunner, example: Example): Promise<Checked> {
  const task = { url: new URL(example.file, site.url).href, document: undefined, spec };
  const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
  const outcome = await engine.check(task, options);
  if ("failure" in outcome) {
    console.log(`${example.file} could not be checked: ${outcome.failure.code}, ${outcome.failure.detail}`);
    return { judged: judge(example, []), run: { example, said: [outcome.failure.code] }, version: "" };
  }
  const isWhole = !outcome.notices?.some(({ code }) => code === "not_acted" || code === "acted_in_part");
  const judged = judge(example, whatIsSaid(outcome.issues as A11yIssue[], outcome.raw as AxeResults, isWhole));
  const found = judged.said.flatMap(({ rule, says }) =>
    says === "error" || says === "review" ? [`${rule} (${says})`] : [],
  );
  const notices = (outcome.notices ?? []).map(({ code, detail }) => `${code}: ${detail}`);
  if (values.verbose)
    console.log([`${example.file} ${example.expected}: ${found.join(", ") || "nothing"}`, ...notices].join("; "));
  const lines = [...linesOf(outcome.issues as A11yIssue[]), ...notices];
  return { judged, run: { example, said: lines }, version: outcome.engine.version };
}

/** @param isWhole whether acting ended by itself */
function whatIsSaid(issues: readonly A11yIssue[], raw: AxeResults, isWhole: boolean): Said[] {
  const found = issues.map(
    ({ rule, tags, issue_type }): Said => ({
      rule: rule ?? "",
      tags,
      says: issue_type === "error" ? "error" : "review",
    }),
  );
  const isNew = ({ rule }: Said) => !found.some((one) => one.rule === rule);
  const others = (["passes", "inapplicable"] as const).flatMap((list) =>
    raw[list].map(({ id, tags }): Said => ({ rule: id, tags, says: list === "passes" ? "passed" : "inapplicable" })),
  );
  const ours = (Object.keys(actingRules) as (keyof typeof actingRules)[]).map(
    (rule): Said => ({ rule, tags: tagsOfRule(rule), says: isWhole ? "passed" : "untested" }),
  );
  return [...found, ...[...others, ...ours].filter(isNew)];
}

/** Does as many at once as `most` says, and keeps their order. */
async function inTurns<One, Result>(
  all: readonly One[],
  most: () => number,
  run: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  const running = new Set<Promise<unknown>>();
  for (const one of all) {
    while (running.size >= most()) await Promise.race(running);
    const result = run(one);
    results.push(result);
    const task = result.finally(() => running.delete(task));
    running.add(task);
  }
  return Promise.all(results);
}
