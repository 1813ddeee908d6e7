import type { AxeResults, RunOptions } from "axe-core";
import { type BrowserSettings, openBrowser } from "../../../browser/browser.ts";
import { deviceFor } from "../../../browser/devices.ts";
import type { Tab } from "../../../browser/tab.ts";
import { isHtml, type PageResponse } from "../../../browser/watch.ts";
import { BrokenEnvironmentError } from "../../../domain/errors.ts";
import { PageError, withoutAnswer } from "../../../domain/failure.ts";
import type { CheckOutcome, Engine } from "../../../domain/findings.ts";
import { createRetryPolicy } from "../../../net/retry-policy.ts";
import type { ReportSpec } from "../../../schema/report.ts";
import type { Logger } from "../../../telemetry/log.ts";
import type { EngineRunner, PageTask } from "../../engine.ts";
import { axeIssues, MAX_NODES_PER_RULE, MAX_TEXT_LENGTH } from "./issues.ts";
import { readAxe, runAxe } from "./page.ts";

type Options = BrowserSettings & {
  spec: ReportSpec;
  /** All of a page: load, rest, axe-core and screenshot. */
  timeLimitMs?: number;
  /** How long a page waits for a browser that does not start again. */
  restartPatienceMs?: number;
};

/** Two pages at once: one waits for its server while the other one's rules run. */
const CONCURRENCY = 2;
const TIME_LIMIT_MS = 30_000;

/**
 * The accessibility engine: axe-core in a Chromium of its own, each page in a fresh
 * context.
 *
 * @throws UsageError when there is no Chromium to use
 */
export async function createAxeRunner({
  spec,
  timeLimitMs = TIME_LIMIT_MS,
  ...settings
}: Options): Promise<EngineRunner> {
  const axe = await readAxe();
  const engine: Engine = { name: "axe-core", version: axe.version };
  const device = await deviceFor(spec);
  const browser = await openBrowser({ ...settings, device, script: axe.source });
  const options = runOptions(spec);
  const retryPolicy = createRetryPolicy();

  type Visit = { task: PageTask; beforeRequest: () => Promise<void>; onAnswer: (answer: PageResponse) => void };
  const visit = async (tab: Tab, { task, beforeRequest, onAnswer }: Visit): Promise<CheckOutcome> => {
    await tab.load(task.url, {
      beforeHop: async (url) => {
        requireSameHost(url, task.url);
        await beforeRequest();
      },
      judge: (response) => {
        onAnswer(response);
        judge(response, task.url);
      },
    });
    const limits = { nodesPerRule: MAX_NODES_PER_RULE, textLength: MAX_TEXT_LENGTH };
    const results = await runAxe(tab, axe.source, options, spec.storeRawA11yChecks ? null : limits);
    return {
      kind: "a11y",
      engine,
      issues: axeIssues(results as Parameters<typeof axeIssues>[0], spec.storeIncompleteChecks),
      ...(spec.storeRawA11yChecks ? { raw: results as AxeResults } : {}),
      ...(spec.storeScreenshot ? { screenshot: await tab.screenshot() } : {}),
    };
  };

  return {
    kind: "a11y",
    concurrency: CONCURRENCY,
    check: async (task, { signal, beforeRequest }) => {
      for (let tries = 0; ; tries += 1) {
        // Before the tab is opened: waiting is not the page's time.
        await retryPolicy.quiet(signal);
        await beforeRequest();
        const seen: { answer?: PageResponse } = {};
        const onAnswer = (answer: PageResponse) => {
          seen.answer = answer;
        };
        try {
          const visited = { task, beforeRequest, onAnswer };
          const outcome = await browser.withTab({ signal, timeLimitMs }, (tab) => visit(tab, visited));
          return { ...outcome, httpStatus: seen.answer?.status ?? null };
        } catch (error) {
          if (signal.aborted || error instanceof BrokenEnvironmentError) throw error;
          const { status = 0, headers } = seen.answer ?? {};
          if (retryPolicy.again({ status, retryAfter: headers?.["retry-after"] }, tries)) continue;
          return failed(task, error, settings.log, seen.answer);
        }
      }
    },
    close: () => browser.close(),
  };
}

function failed({ url }: PageTask, error: unknown, log: Logger, answer?: PageResponse): CheckOutcome {
  if (error instanceof PageError) {
    const isKnown = answer !== undefined || withoutAnswer.has(error.code);
    return { kind: "a11y", failure: error.failure, ...(isKnown && { httpStatus: answer?.status ?? null }) };
  }
  log.warn("axe-core could not check a page", { url, error });
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: "a11y", failure: { code: "engine_error", detail: `axe-core failed: ${reason.slice(0, 500)}` } };
}

function runOptions(spec: ReportSpec): RunOptions {
  return {
    // Media of a page that never answers must not cost all of its time.
    preload: { assets: ["cssom", "media"], timeout: 3_000 },
    // Cheaper; but it also cuts the other results short, and the raw ones are to be whole.
    ...(spec.storeRawA11yChecks
      ? {}
      : { resultTypes: spec.storeIncompleteChecks ? ["violations", "incomplete"] : ["violations"] }),
  };
}

function judge(response: PageResponse, asked: string): void {
  const { url, status, mimeType } = response;
  if (status >= 400) throw new PageError("http_error", `${url} answered with status ${status}.`);
  if (!isHtml(response)) {
    throw new PageError("not_html", `${url} is no HTML document but ${mimeType || "of no stated type"}.`);
  }
  requireSameHost(url, asked);
}

function requireSameHost(url: string, asked: string): void {
  if (URL.parse(url)?.host === URL.parse(asked)?.host) return;
  throw new PageError("off_site", `${asked} leads to another site: ${url}.`);
}
