import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import type { DecodedDocument } from "html-conformance/documents";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createHtmlRunner } from "../../../src/checker/engines/html/runner.ts";
import type { StartOptions } from "../../../src/checker/engines/html/start-engine.ts";
import { engineOf } from "../../../src/checker/engines/html/versions.ts";
import { cacheFolder } from "../../../src/config.ts";
import type { CheckOutcome, HtmlIssue } from "../../../src/domain/findings/findings.ts";
import type { HtmlEngineName } from "../../../src/schema/html-engines.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { childrenOf } from "../../support/child-processes.ts";
import { deadlineOf } from "../../support/deadline.ts";

const log = createLogger("error", { program: "test" });
const silent = createLogger("error", {});
silent.silent = true;
const cacheDir = cacheFolder(process.env);
const page = (body: string): string => `<!DOCTYPE html><html lang="en"><title>t</title><body>${body}</body></html>`;
/** Takes each engine minutes; html-validate for many attributes, conformance for nothing that is known. */
const slow = page(`<p ${Array.from({ length: 200_000 }, (_, i) => `data-a${i}=1`).join(" ")}>x</p>`);

let runner: EngineRunner;
const start = async (name: HtmlEngineName, options: Partial<StartOptions> = {}): Promise<void> => {
  runner = await createHtmlRunner(name, { log, cacheDir, workers: 1, ...options });
};
const check = (given: string | DecodedDocument | undefined, spec = reportSpec()): Promise<CheckOutcome> => {
  const document = typeof given === "string" ? { source: given, contentType: "text/html" } : given;
  const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
  return runner.check({ url: "https://example.com/", document, spec }, options);
};
const failure = async (outcome: Promise<CheckOutcome>): Promise<string | undefined> => {
  const ended = await outcome;
  return "failure" in ended ? ended.failure.code : undefined;
};
const issuesOf = async (outcome: Promise<CheckOutcome>): Promise<HtmlIssue[]> => {
  const ended = await outcome;
  if ("failure" in ended || ended.kind !== "html") throw new Error(JSON.stringify(ended));
  return ended.issues as HtmlIssue[];
};
const rulesOf = async (outcome: Promise<CheckOutcome>) =>
  (await issuesOf(outcome)).map((issue) => `${issue.issue_type} ${issue.rule}`);

for (const name of ["conformance", "html-validate"] as const)
  describe(`the HTML engine ${name}`, () => {
    const workerName = `html/${name}-worker`;
    /** The process of a pool with one worker, after its first page. */
    const idleWorker = async (): Promise<number> => {
      await check(page(""));
      const [worker] = await childrenOf(process.pid, workerName);
      return worker?.pid ?? 0;
    };

    afterEach(async () => {
      await runner.close();
      expect(await childrenOf(process.pid, workerName)).to.deep.equal([]);
    });

    it("checks pages in several processes at once, each with its own findings", async () => {
      await start(name, { workers: 2 });
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => check(page(`<p id=a></p>${"<p id=a></p>".repeat(i)}`))),
      );
      const repeated = outcomes.map((outcome) => {
        const issues = "issues" in outcome && outcome.kind === "html" ? outcome.issues : [];
        return issues.reduce((sum, { issue_type, html }) => sum + (issue_type === "error" ? html.length : 0), 0);
      });
      expect(repeated).to.deep.equal(Array.from({ length: 20 }, (_, i) => i));
      expect(outcomes[0]).to.deep.include({ kind: "html", engine: engineOf(name) });
    });

    it("returns the raw result in Nu's shape, only when the report stores it", async () => {
      await start(name);
      expect(await check(page("<foo>"))).not.to.have.property("raw");
      const outcome = await check(page("<foo>"), reportSpec({ storeRawHtmlChecks: true }));
      expect(outcome).to.have.nested.property("raw.language", "en");
      expect(outcome).to.have.nested.property("raw.url", "https://example.com/");
      const { messages } = (outcome as { raw: { messages: object[] } }).raw;
      expect(messages).not.to.deep.equal([]);
      for (const message of messages) {
        expect(message).to.include.keys("type", "message", "extract", "firstColumn", "lastColumn", "lastLine");
        expect(message).to.include.keys("hiliteStart", "hiliteLength");
      }
    });

    it("fails a page without a source", async () => {
      await start(name);
      expect(await failure(check(undefined))).to.equal("source_missing");
    });

    it("checks a page again when its process is killed, and the pages queued behind it", async () => {
      await start(name);
      const first = await idleWorker();
      const victim = failure(check(page("<p foo=1>x</p>".repeat(2_000))));
      await setImmediate();
      const behind = failure(check(page("a")));
      process.kill(first, "SIGKILL");
      expect(await Promise.all([victim, behind])).to.deep.equal([undefined, undefined]);
    });

    it("fails a page that needs more memory than the limit, and says so", async () => {
      await start(name, { log: silent, heapMb: 40 });
      const outcome = await check(page("<p foo=1>x</p>".repeat(300_000)));
      expect(outcome).to.have.nested.property("failure.detail", `${name} needed more than 40 MB of memory.`);
      expect(outcome).to.have.nested.property("failure.code", "engine_error");
      expect(await failure(check(page("a")))).to.equal(undefined);
    });

    it("gives a large page a process that ends with it", async () => {
      await start(name);
      const first = await idleWorker();
      // Of a million characters, and nothing else.
      await check(page(`<p>${"word ".repeat(250_000)}</p>`));
      await check(page("a"));
      const workers = await childrenOf(process.pid, workerName);
      expect(workers.map(({ pid }) => pid))
        .to.have.length(1)
        .and.not.include(first);
    });

    it("survives a page whose nesting is deeper than the stack", async () => {
      await start(name, { timeoutMs: 10_000 });
      expect(await failure(check(page("<i>".repeat(9_000))))).to.be.oneOf(["engine_error", undefined]);
      expect(await failure(check(page("a")))).to.equal(undefined);
    });

    it("passes none of its environment to its processes", async () => {
      await start(name);
      const [worker] = await childrenOf(process.pid, workerName);
      const ofNode = /^NODE_(CHANNEL_|COMPILE_CACHE$)/;
      expect(worker?.environment.filter((variable) => !ofNode.test(variable))).to.deep.equal([]);
    });
  });

describe("the HTML engine html-validate, in time", () => {
  it("ends a page that takes too long, and checks the pages queued behind it", async () => {
    await start("html-validate", { timeoutMs: 4_000 });
    const [stuck, ...others] = await Promise.all([check(slow), failure(check(page("a"))), failure(check(page("b")))]);
    expect(stuck).to.have.nested.property("failure.detail").that.matches(deadlineOf("html-validate", 4));
    expect(others).to.deep.equal([undefined, undefined]);
    await runner.close();
  });
});

describe("the HTML engine conformance, of a page as it was received", () => {
  before(() => start("conformance"));
  after(() => runner.close());

  it("checks XHTML by the rules of XML, by its Content-Type", async () => {
    const html = '<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en"><head><title>t</title></head>';
    const source = `${html}<body><p>a<br/></p></body></html>`;
    expect(await rulesOf(check({ source, contentType: "application/xhtml+xml" }))).to.deep.equal([]);
    expect(
      await rulesOf(check({ source: source.replace("</p>", ""), contentType: "application/xhtml+xml" })),
    ).to.satisfy((rules: string[]) => rules.some((rule) => rule.startsWith("error parse/")));
    // The same text as HTML has no doctype.
    expect(await rulesOf(check(source))).to.include("error parse/missing-doctype");
  });

  it("finds a declaration that disagrees with the encoding that the header told", async () => {
    const source = '<!DOCTYPE html><html lang="en"><meta charset="windows-1252"><title>t</title></html>';
    const encoding = { name: "utf-8", from: "header" } as const;
    const rules = await rulesOf(check({ source, contentType: "text/html; charset=utf-8", encoding }));
    expect(rules).to.include("error parse/encoding-conflict");
  });

  it("finds that nobody declared the encoding, and bytes that are not valid in it", async () => {
    const source = page("a\uFFFDb");
    const rules = await rulesOf(
      check({ source, contentType: "text/html", encoding: { name: "utf-8", from: "default", malformed: 1 } }),
    );
    expect(rules).to.have.members(["error parse/undeclared-encoding", "error parse/malformed-bytes"]);
    const encoding = { name: "utf-8", from: "header" } as const;
    expect(await rulesOf(check({ source, contentType: "text/html", encoding }))).to.deep.equal([]);
  });

  it("gives each issue the section of the standard", async () => {
    const issues = await issuesOf(check(page("<p foo=1><foo></foo>")));
    expect(issues.map(({ help_url }) => help_url)).to.satisfy((urls: string[]) =>
      urls.every((url) => url.startsWith("https://")),
    );
  });
});
