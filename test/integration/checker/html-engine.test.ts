import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createHtmlRunner } from "../../../src/checker/engines/html/runner.ts";
import type { CheckOutcome } from "../../../src/domain/findings.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { childrenOf } from "../../support/child-processes.ts";

const log = createLogger("error", { program: "test" });
const silent = createLogger("error", {});
silent.silent = true;
const page = (body: string): string => `<!DOCTYPE html><html lang="en"><title>t</title><body>${body}</body></html>`;
/** Quadratic in html-validate: minutes. */
const slow = page(`<p ${Array.from({ length: 200_000 }, (_, i) => `data-a${i}=1`).join(" ")}>x</p>`);

describe("the HTML engine", () => {
  let runner: EngineRunner;
  const check = (source: string | undefined, spec = reportSpec()): Promise<CheckOutcome> =>
    runner.check(
      { url: "https://example.com/", source, spec },
      { signal: new AbortController().signal, beforeRequest: async () => {} },
    );
  const failure = async (outcome: Promise<CheckOutcome>): Promise<string | undefined> => {
    const ended = await outcome;
    return "failure" in ended ? ended.failure.code : undefined;
  };

  /** The process of a pool with one worker, after its first page. */
  const idleWorker = async (): Promise<number> => {
    await check(page(""));
    const [worker] = await childrenOf(process.pid, "html/worker");
    return worker?.pid ?? 0;
  };

  afterEach(async () => {
    await runner.close();
    expect(await childrenOf(process.pid, "html/worker")).to.deep.equal([]);
  });

  it("checks pages in several processes at once, each with its own findings", async () => {
    runner = createHtmlRunner({ log, workers: 2 });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => check(page(`<p id=a></p>${"<p id=a></p>".repeat(i)}`))),
    );
    expect(
      outcomes.map((o) => ("issues" in o && o.kind === "html" ? (o.issues[0]?.html.length ?? 0) : -1)),
    ).to.deep.equal(Array.from({ length: 20 }, (_, i) => i));
    expect(outcomes[0]).to.deep.include({ kind: "html", engine: { name: "html-validate", version: "11.18.0" } });
  });

  it("returns the raw result only when the report stores it", async () => {
    runner = createHtmlRunner({ log, workers: 1 });
    expect(await check(page("<foo>"))).not.to.have.property("raw");
    const outcome = await check(page("<foo>"), reportSpec({ storeRawHtmlChecks: true }));
    expect(outcome).to.have.nested.property("raw.language", "en");
  });

  it("fails a page without a source", async () => {
    runner = createHtmlRunner({ log, workers: 1 });
    expect(await failure(check(undefined))).to.equal("source_missing");
  });

  it("ends a page that takes too long, and checks the pages queued behind it", async () => {
    runner = createHtmlRunner({ log, workers: 1, timeoutMs: 4_000 });
    const [stuck, ...others] = await Promise.all([
      failure(check(slow)),
      failure(check(page("a"))),
      failure(check(page("b"))),
    ]);
    expect(stuck).to.equal("engine_error");
    expect(others).to.deep.equal([undefined, undefined]);
  });

  it("retries a page once when its process is killed, then fails it; the pages queued behind it are checked", async () => {
    runner = createHtmlRunner({ log, workers: 1 });
    const first = await idleWorker();
    const victim = failure(check(slow));
    const behind = failure(check(page("a")));
    process.kill(first, "SIGKILL");
    // It went first to the second process, whose next page is the victim again.
    expect(await behind).to.equal(undefined);
    const [second] = await childrenOf(process.pid, "html/worker");
    process.kill(second?.pid ?? 0, "SIGKILL");
    expect(await victim).to.equal("checker_crashed");
  });

  it("fails a page that needs more memory than the limit, and says so", async () => {
    runner = createHtmlRunner({ log: silent, workers: 1, heapMb: 40 });
    const outcome = await check(page("<p foo=1>x</p>".repeat(60_000)));
    expect(outcome).to.have.nested.property("failure.detail", "html-validate needed more than 40 MB of memory.");
    expect(await failure(check(page("a")))).to.equal(undefined);
  });

  it("survives a page whose nesting is deeper than the stack", async () => {
    runner = createHtmlRunner({ log, workers: 1, timeoutMs: 10_000 });
    expect(await failure(check(page("<i>".repeat(9_000))))).to.be.oneOf(["engine_error", undefined]);
    expect(await failure(check(page("a")))).to.equal(undefined);
  });

  it("passes none of its environment to its processes", async () => {
    runner = createHtmlRunner({ log, workers: 1 });
    const [worker] = await childrenOf(process.pid, "html/worker");
    expect(worker?.environment.filter((name) => !name.startsWith("NODE_CHANNEL_"))).to.deep.equal([]);
  });
});
