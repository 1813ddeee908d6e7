/** @import { Step } from "./plan.js" */

/** What runs in processes on PostgreSQL, beside what each test is about. */
const SERVICE = [
  "src/api",
  "src/controller",
  "src/crawler",
  "src/checker",
  "src/database",
  "src/transactions",
  "src/main",
];
const CLUSTER = ["charts", "crds", "Containerfile", "src/cluster", "test/cluster", "test/e2e/support"];
const e2e = (/** @type {string} */ group) => `npm run test:e2e -- ${group}`;

/**
 * What CI can run. The first step that always runs is the README's second command, word for word
 * (test/documentation/readme.test.ts).
 *
 * @type {readonly Step[]}
 */
export const steps = [
  { name: "tests", command: "npm ci && npm test", minutes: 5, always: true, paths: ["."] },
  {
    name: "first command",
    // As in the README, on pages that are here; their faults end it with 1.
    command: "npm run check -- docs/example --a11y; test $? = 1",
    minutes: 0.2,
    always: true,
    paths: ["."],
  },
  { name: "verify", command: "npm run verify", minutes: 2, always: true, paths: ["."] },
  // What guards the API, the crawler and the database as whole processes.
  { name: "programs", command: "npm run test:programs", minutes: 5, always: true, paths: ["."] },
  { name: "cluster", command: e2e("main"), minutes: 2, always: true, paths: ["."], needs: ["cluster"] },
  // All that starts a browser, which neither `npm test` nor a walk through the API does.
  { name: "browser", command: "npm run test:browser", minutes: 6, always: true, paths: ["."] },
  {
    name: "pages",
    command: "npm run test:pages",
    minutes: 4,
    paths: ["test/pages", "guides", "src/browser", "src/checker/engines", "src/domain/acting"],
  },
  {
    name: "artifacts",
    command: "npm run test:artifacts",
    minutes: 3,
    paths: [
      "bin",
      "src/bundle",
      "src/main",
      "src/checker/engines/nu",
      "test/artifacts",
      "Containerfile",
      "package-lock.json",
    ],
  },
  { name: "audit", command: "npm run audit", minutes: 0.1, paths: ["package-lock.json", "scripts/audit.ts"] },
  {
    name: "bill of materials",
    command: "mkdir -p build && npm run --silent sbom >build/sbom.cdx.json && grep -c bom-ref build/sbom.cdx.json",
    minutes: 0.1,
    paths: ["package-lock.json"],
  },
  { name: "bench", command: "npm run bench -- --smoke", minutes: 1.5, paths: ["bench"] },
  {
    name: "fuzz",
    command: "npm run fuzz -- --seconds 20",
    minutes: 3,
    paths: ["test/fuzz", "src/domain", "src/net", "packages/html-conformance/src/documents"],
  },
  {
    name: "engine",
    command: "npm test --workspace html-conformance",
    minutes: 3,
    paths: ["packages/html-conformance", "package-lock.json"],
  },
  {
    name: "comparison with Nu",
    command: "npm run conformance",
    minutes: 4,
    paths: ["packages/html-conformance", "package-lock.json"],
    needs: ["java"],
  },
  { name: "faults", command: "npm run test:faults", minutes: 6, paths: ["test/faults", "src/embedded", ...SERVICE] },
  {
    name: "chart",
    command: "npm run chart",
    minutes: 2,
    paths: ["charts", "crds", "manifests", "test/chart"],
    needs: ["chart"],
  },
  {
    name: "schemathesis",
    command: "npm run test:openapi",
    minutes: 7,
    paths: ["test/openapi", "src/api", "src/schema", "src/settings"],
    needs: ["python"],
  },
  {
    name: "contract on a cluster",
    command: e2e("contract"),
    minutes: 3,
    paths: ["src/api", "test/contract", ...CLUSTER],
    needs: ["cluster"],
  },
  {
    name: "reports on a cluster",
    command: e2e("reports"),
    minutes: 5,
    paths: ["src/controller", "src/crawler", "src/checker", "src/browser", ...CLUSTER],
    needs: ["cluster"],
  },
  {
    name: "installations",
    command: e2e("installations"),
    minutes: 4,
    paths: ["manifests", "src/database/migrations", ...CLUSTER],
    needs: ["cluster"],
  },
  {
    name: "faults of a cluster",
    command: e2e("faults"),
    minutes: 7,
    paths: ["src/controller", ...CLUSTER],
    needs: ["cluster"],
  },
];
