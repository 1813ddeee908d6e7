import { globSync } from "node:fs";

/** Tests that `npm run test:NAME` runs. Slow files come first: a long one that starts last would run alone. */
const LONG = {
  /** Programs as people start them, and the database that they bring: whole processes, each with its own. */
  programs: [
    "test/integration/cli/check-sign-in.test.ts",
    "test/integration/api/contract.test.ts",
    "test/integration/cli/check*.test.ts",
    "test/integration/programs/*.test.ts",
    "test/integration/cli/*.test.ts",
    "test/attacks/{log-commands,process-secrets}.test.ts",
    "test/integration/database/{embedded,kept}-postgres.test.ts",
  ],
  /** Pages that attack, and those of the guides, in a browser. */
  pages: ["test/pages/*.test.ts"],
  /** All that starts a browser: our own pages in each state, pages that are checked, crawled and used. */
  browser: [
    "test/integration/web/{every-page,journeys,provider-journey,report-file,tasks}.test.ts",
    "test/integration/checker/{acting,acting-precision,axe-engine,untested-parts}.test.ts",
    "test/integration/browser/*.test.ts",
    "test/attacks/{allowed-origins,browser-vectors,site-headers,ways-in}.test.ts",
    "test/integration/web/{forms,guides,live,month-file}.test.ts",
    "test/integration/checker/{boxes,clobbered-forms,distant-pseudo,element-pictures,fingerprints,fingerprints-of-real-pages}.test.ts",
    "test/integration/checker/{link-reports,repairs,screenshots}.test.ts",
    "test/integration/crawler/{upstream-proxy,user-agent}.test.ts",
    "test/integration/api/{api-reference,basic-auth}.test.ts",
  ],
} as const;

/** `npm test`: all others. They start no browser, and what they start is shared by the tests of a file. */
const SHORT = [
  "test/integration/{web,checker,controller}/*.test.ts",
  "test/attacks/*.test.ts",
  "test/integration/**/*.test.ts",
  "packages/html-conformance/test/smoke/*.test.ts",
  "test/unit/**/*.test.ts",
];

export const RUNS = ["short", ...Object.keys(LONG)];

/**
 * The files of a run, each once.
 *
 * @throws an Error for a run that there is not
 */
export function filesOf(run: string): string[] {
  const long = Object.values(LONG).flatMap(find);
  if (run === "short") return find(SHORT).filter((file) => !long.includes(file));
  const patterns = (LONG as Record<string, readonly string[]>)[run];
  if (patterns === undefined) throw new Error(`There is no run ${run} of tests; there are ${RUNS.join(", ")}.`);
  return find(patterns);
}

function find(patterns: readonly string[]): string[] {
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern).sort()))];
}
