import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { noticeTexts } from "../../src/domain/coverage/notices.ts";
import { failureCodes } from "../../src/domain/failure.ts";

const CONTROLLER = new URL("../../src/controller/", import.meta.url);
/** Why what the operator does not allow is refused. */
const LIMITS = new URL("../../src/schema/limits.ts", import.meta.url);
const GUIDE = readFileSync(new URL("../../docs/troubleshooting.md", import.meta.url), "utf8");

/** Words beside "reason" that are not what a condition or an event is given as its reason. */
const NO_REASONS = new Set([
  ...["True", "False", "Unknown", "Normal", "Warning"],
  ...["Pending", "Crawling", "Checking", "Complete", "Failed"],
  // Of Jobs and pods: read, and said in other words.
  ...["PodFailurePolicy", "PodScheduled", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName"],
  // Types of conditions; they have a test of their own.
  ...["Crawled", "PodsHealthy", "Ready", "Running"],
]);
/** Set as reasons too. */
const ALSO_REASONS = ["Crawling", "Failed", "PodsHealthy"];

describe("The troubleshooting guide", () => {
  const sources = readdirSync(CONTROLLER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => new URL(file, CONTROLLER));
  const lines = [...sources, LIMITS].flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const first = firstCells(GUIDE);

  it("has every reason that the controller gives to a condition or an event", () => {
    const given = wordsIn(lines.filter((line) => /reason|refused\(/i.test(line))).filter(
      (word) => !NO_REASONS.has(word),
    );
    expect(given).to.include.members(["NoAccount", "OOMKilled", "QuotaExceeded", "CrawlerFailed", "RunStarted"]);

    expect([...given, ...ALSO_REASONS].filter((reason) => !first.has(reason))).to.deep.equal([]);
  });

  it("has every type of condition", () => {
    const types = wordsIn(lines.filter((line) => /\btype = "|statement = \{ type: "/.test(line)));
    expect(types).to.include.members(["Crawled", "Complete", "Failed", "PodsHealthy", "Ready", "Running"]);

    expect(types.filter((type) => !first.has(type) && !["True", "False"].includes(type))).to.deep.equal([]);
  });

  it("has every code of a failure", () => {
    expect(Object.keys(failureCodes).filter((code) => !first.has(code))).to.deep.equal([]);
  });

  it("has every code of a notice", () => {
    expect(Object.keys(noticeTexts).filter((code) => !first.has(code))).to.deep.equal([]);
  });

  it("names no reason that the controller no longer gives", () => {
    const words = new Set(wordsIn(lines));

    const known = (name: string) => words.has(name) || Object.hasOwn({ ...failureCodes, ...noticeTexts }, name);
    expect([...first].filter((name) => /^(?:[A-Z][a-zA-Z]+|[a-z]+_[a-z_]+)$/.test(name) && !known(name))).to.deep.equal(
      [],
    );
  });
});

/** What stands as `code` at the beginning of a table's row; of conditions of a Schedule in the second column too. */
function firstCells(markdown: string): Set<string> {
  const tables = markdown.split("## On one machine")[0] ?? "";
  const rows = tables.split("\n").filter((line) => line.startsWith("| `"));
  const cells = rows.flatMap((row) => row.split(" | ").slice(0, 2));
  return new Set(
    cells.flatMap((cell) =>
      /^\|? ?`\w+`(, `\w+`)*$/.test(cell) ? [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name) : [],
    ),
  );
}

/** Literals such as "NoAccount". */
function wordsIn(lines: readonly string[]): string[] {
  const words = lines.flatMap((line) => [...line.matchAll(/"([A-Z][a-zA-Z]+)"/g)].map(([, word = ""]) => word));
  return [...new Set(words)];
}
