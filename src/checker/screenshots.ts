import { type BrowserSettings, openBrowser } from "../browser/browser.ts";
import { deviceFor } from "../browser/devices.ts";
import { pictureNotice, preparationOf, stoppedNotice } from "../browser/prepare-page.ts";
import type { PageResponse } from "../browser/watch.ts";
import { environmentFault } from "../database/connection/errors.ts";
import { createActRule } from "../domain/acts/rule.ts";
import type { CheckNotice } from "../domain/coverage/notices.ts";
import { errorText } from "../domain/error-text.ts";
import type { Screenshot } from "../domain/findings/findings.ts";
import { credentialsFor } from "../domain/headers/site-credentials.ts";
import { createHostBreaker } from "../net/host-breaker.ts";
import { createRetryPolicy } from "../net/retry-policy.ts";
import { standingOf } from "../net/standing.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { CheckOptions, EngineRunner } from "./engine.ts";
import { requireActed, requirePage, requireSameHost } from "./page-response.ts";

type Options = BrowserSettings & {
  spec: ReportSpec;
  /** Total time for a page: loading, waiting for network idle, and the screenshot. */
  timeLimitMs?: number;
};

/** A screenshot, and what could not be done before it was taken. */
type Taken = { screenshot: Screenshot | undefined; notices: CheckNotice[] };

/** As many as accessibility checks: while one page waits for its server, the other is drawn. */
const CONCURRENCY = 2;

/**
 * Adds screenshots to the results of an engine that needs no browser. A page whose screenshot cannot be taken still has
 * its result, because its check did not fail.
 *
 * @throws UsageError when there is no Chromium to use
 */
export async function withScreenshots(runner: EngineRunner, options: Options): Promise<EngineRunner> {
  const { log } = options;
  const screenshots = await openScreenshots(options);
  return {
    kind: runner.kind,
    get concurrency() {
      return runner.concurrency;
    },
    async check(task, checkOptions) {
      const outcome = await runner.check(task, checkOptions);
      if ("failure" in outcome) return outcome;
      try {
        const { screenshot, notices } = await screenshots.take(task.url, checkOptions);
        return {
          ...outcome,
          ...(screenshot && { screenshot }),
          notices: [...(outcome.notices ?? []), ...notices, ...pictureNotice(screenshot)],
        };
      } catch (error) {
        const broken = environmentFault(error);
        if (checkOptions.signal.aborted || broken) throw broken ?? error;
        log.warn("no screenshot could be taken of a page", { url: task.url, reason: errorText(error) });
        return outcome;
      }
    },
    close: async () => {
      await Promise.all([runner.close(), screenshots.close()]);
    },
  };
}

async function openScreenshots({ spec, ...settings }: Options) {
  const { timeLimitMs = spec.pageTimeoutSeconds * 1_000 } = settings;
  const device = await deviceFor(spec);
  const credentials = credentialsFor(spec.startingUrl, settings.credentials);
  const acts = createActRule(spec, standingOf(settings));
  const browser = await openBrowser({ ...settings, credentials, acts, device, idleLimitMs: timeLimitMs });
  const retryPolicy = createRetryPolicy();
  const breaker = createHostBreaker();
  const preparation = preparationOf(spec);
  let open = 0;
  const waiting: (() => void)[] = [];

  const takeOnce = async (url: string, { signal, beforeRequest }: CheckOptions, seen: { response?: PageResponse }) => {
    await retryPolicy.wait(signal);
    return browser.withTab({ signal, timeLimitMs }, async (tab) => {
      let isLoaded = false;
      await tab.load(url, {
        beforeRequest: async (next) => {
          requireSameHost(next, url);
          await beforeRequest();
        },
        checkResponse: (response) => {
          seen.response = response;
          if (isLoaded) requireActed(response, url);
          else requirePage(response, url, spec);
        },
      });
      isLoaded = true;
      if (tab.forbidsScripts(tab.mainFrameId)) return { screenshot: await tab.screenshot(), notices: [] };
      // As the accessibility engine sees the page.
      const notices = [...(await preparation.awaitContent(tab)), ...(await preparation.doSteps(tab, url))];
      await tab.scrollThrough();
      return { screenshot: await tab.screenshot(), notices: [...notices, ...stoppedNotice(tab)] };
    });
  };

  const take = async (url: string, options: CheckOptions): Promise<Taken> => {
    for (let tries = 0; ; tries += 1) {
      const seen: { response?: PageResponse } = {};
      try {
        return await breaker.run(url, () => takeOnce(url, options, seen));
      } catch (error) {
        const { status = 0, headers } = seen.response ?? {};
        const again = retryPolicy.shouldRetry({ status, retryAfter: headers?.["retry-after"] }, tries);
        if (!again || options.signal.aborted) throw error;
      }
    }
  };

  return {
    /** The page as the device of the report shows it, prepared. @throws PageError when the page cannot be loaded */
    async take(url: string, options: CheckOptions): Promise<Taken> {
      while (open >= CONCURRENCY) await new Promise<void>((resolve) => waiting.push(resolve));
      open += 1;
      try {
        return await take(url, options);
      } finally {
        open -= 1;
        waiting.shift()?.();
      }
    },
    close: () => browser.close(),
  };
}
