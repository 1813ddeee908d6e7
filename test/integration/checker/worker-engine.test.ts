import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { HtmlEngine, HtmlResult } from "../../../src/checker/engines/html/port.ts";
import { createWorkerEngine } from "../../../src/checker/engines/html/worker-engine.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { childrenOf } from "../../support/child-processes.ts";
import { deadlineOf } from "../../support/deadline.ts";
import { eventually } from "../../support/wait.ts";

const log = createLogger("error", {});
log.silent = true;

/**
 * What a process does with a document: it appends its process id to the file "runs", and then
 * `die`s by itself, `wait`s until the test has written the file "go", or responds at once.
 */
const program = (folder: string): string => `
  import { appendFileSync, existsSync } from "node:fs";
  const file = (name) => ${JSON.stringify(`${folder}/`)} + name;
  process.on("message", async ({ id, document: { source } }) => {
    appendFileSync(file("runs"), source + " " + process.pid + "\\n");
    if (source === "die") process.kill(process.pid, "SIGKILL");
    while (source === "spin");
    while (source === "wait" && !existsSync(file("go"))) await new Promise((resolve) => setTimeout(resolve, 10));
    process.send(source === "broken" ? { id, broken: "there is no grammar" } : { id, messages: [], elements: [], language: source });
  });
  process.once("disconnect", () => process.exit(0));
  process.send({ ready: true });`;

describe("an HTML engine's processes", () => {
  let folder: string;
  let engine: HtmlEngine;

  const start = async (workers: number, timeoutMs = 100_000): Promise<void> => {
    const module = path.join(folder, "document-worker.mjs");
    await writeFile(module, program(folder));
    startProgram(module, workers, timeoutMs);
  };
  const startProgram = (module: string, workers: number, timeoutMs = 100_000): void => {
    engine = createWorkerEngine({
      ...{ engine: { name: "fake", version: "1" }, module, workers, timeoutMs, log },
      ...{ heapMb: 64, recycleAfter: 1_000_000 },
    });
  };
  const check = (source: string): Promise<HtmlResult> =>
    engine.check({ source, url: "https://example.com/", contentType: "text/html" }, new AbortController().signal);
  /** The processes that began with a document, in order. */
  const runsOf = async (source: string): Promise<number[]> => {
    const lines = (await readFile(path.join(folder, "runs"), "utf8").catch(() => "")).trim().split("\n");
    return lines.filter((line) => line.startsWith(`${source} `)).map((line) => Number(line.split(" ")[1]));
  };
  const checked = (source: string) => ({ messages: [], elements: [], language: source });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-engine-"));
  });
  afterEach(async () => {
    await engine.close();
    expect(await childrenOf(process.pid, "document-worker")).to.deep.equal([]);
    await rm(folder, { recursive: true });
  });

  it("check a sample of our own before the first page, which waits for nothing then", async () => {
    startProgram(path.join(import.meta.dirname, "../../support/programs/counting-engine.ts"), 1);
    expect(await check("the first page")).to.include({ language: "1" });
    expect(await check("the second page")).to.include({ language: "2" });
  });

  it("lose none of 40 pages to kills that follow each other, even of the same page", async () => {
    await start(2);
    const pages = ["wait", ...Array.from({ length: 39 }, (_, i) => `page${i}`)];
    const results = Promise.all(pages.map(check));
    for (let kills = 0; kills < 3; kills++) {
      const runs = await eventually(async () => {
        const pids = await runsOf("wait");
        return pids.length > kills && pids;
      });
      process.kill(runs[kills] ?? 0, "SIGKILL");
    }
    await eventually(async () => (await runsOf("wait")).length === 4);
    await writeFile(path.join(folder, "go"), "");
    expect(await results).to.deep.equal(pages.map(checked));
    // Each time in a process of its own.
    expect(new Set(await runsOf("wait"))).to.have.property("size", 4);
  });

  it("give a page up that ended three of them alone, and check those beside it", async () => {
    await start(2);
    const [guilty, ...others] = await Promise.all(["die", ...["a", "b", "c", "d"]].map(check));
    expect(guilty).to.deep.equal({
      code: "checker_crashed",
      engineError: "The checker process ended 3 times while checking this page and no other (SIGKILL).",
    });
    expect(others).to.deep.equal(["a", "b", "c", "d"].map(checked));
    expect(await runsOf("die")).to.have.length(4);
  });

  it("check a page alone in a new process, while the others wait", async () => {
    await start(2);
    await check("before");
    const { signal } = new AbortController();
    const document = { source: "wait", url: "https://example.com/", contentType: "text/html" };
    const alone = engine.check(document, signal, { alone: true });
    const others = ["a", "b"].map(check);
    const [pid] = await eventually(async () => {
      const pids = await runsOf("wait");
      return pids.length > 0 && pids;
    });
    expect(await runsOf("before")).not.to.include(pid);
    expect([...(await runsOf("a")), ...(await runsOf("b"))]).to.deep.equal([]);
    await writeFile(path.join(folder, "go"), "");
    expect(await Promise.all([alone, ...others])).to.deep.equal(["wait", "a", "b"].map(checked));
    expect([...(await runsOf("a")), ...(await runsOf("b"))]).not.to.include(pid);
  });

  it("say that a page met its deadline, which another run may not", async () => {
    await start(1, 200);
    const { engineError, ...rest } = (await check("spin")) as { engineError: string };
    expect(engineError).to.match(deadlineOf("fake", 0.2));
    expect(rest).to.deep.equal({ deadlineExceeded: true });
  });

  it("blame no page for what the engine itself lacks", async () => {
    await start(1);
    const error = await check("broken").catch((reason: unknown) => reason);
    expect(error)
      .to.be.instanceOf(BrokenEnvironmentError)
      .with.property("message")
      .that.matches(/no grammar/);
  });
});
