import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const ENGINE = new URL("../../comparison/engine.ts", import.meta.url).href;
/** Of a heap of 200 MB a process takes less than 400 MB in all. */
const HEAP_MB = 200;

// Takes more than 10 s of processor time: a page of 10 MB, parsed and checked with little memory.
describe("a tag with a million attributes", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "html-conformance-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is checked, with causes, in less than 400 MB, and its findings are bounded and counted", async () => {
    const file = path.join(folder, "page.html");
    const names = Array.from({ length: 1_000_000 }, (_, index) => `a${index}=1`).join(" ");
    await writeFile(file, `<!DOCTYPE html><html lang="en"><head><title>x</title></head><body><p ${names}>`);
    const code = `import { readFileSync } from "node:fs"; import { loadConformance } from ${JSON.stringify(ENGINE)};
      const { run } = await loadConformance();
      const { messages } = run(readFileSync(${JSON.stringify(file)}, "latin1"), "text/html", true);
      const last = messages.at(-1);
      console.log(JSON.stringify([messages.length, last.rule, last.message, process.resourceUsage().maxRSS / 1000 < 400]));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[`--max-old-space-size=${HEAP_MB}`, "--max-semi-space-size=8"],
      ...["--input-type=module", "--eval", code],
    ]);
    expect(JSON.parse(stdout)).to.deep.equal([
      ...[101, "too-many-findings"],
      "999900 more findings are not listed; at most 100 of an element are.",
      true,
    ]);
  });
});
