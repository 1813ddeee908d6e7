import type { RunOptions } from "axe-core";
import { type Browser, type BrowserSettings, openBrowser } from "../../../browser/browser.ts";
import { deviceFor, deviceOfVariant } from "../../../browser/devices.ts";
import type { Changes } from "../../../browser/late-content.ts";
import { pictureNotice, preparationOf, stoppedNotice } from "../../../browser/prepare-page.ts";
import type { Tab } from "../../../browser/tab.ts";
import { wrongSelectors } from "../../../browser/wanted.ts";
import type { PageResponse } from "../../../browser/watch.ts";
import { environmentFault } from "../../../database/connection/errors.ts";
import { axeRulesOfActing } from "../../../domain/acting/rules.ts";
import { createActRule } from "../../../domain/acts/rule.ts";
import { variantOf, withoutVariant } from "../../../domain/addresses/page-variant.ts";
import { frameNotices, noticeOf } from "../../../domain/coverage/check-notices.ts";
import type { CheckNotice } from "../../../domain/coverage/notices.ts";
import { errorText } from "../../../domain/error-text.ts";
import { noResponseCodes, PageError } from "../../../domain/failure.ts";
import type { CheckOutcome, Engine } from "../../../domain/findings/findings.ts";
import { credentialsFor } from "../../../domain/headers/site-credentials.ts";
import { requireNoForm } from "../../../domain/page/reached-page.ts";
import { number } from "../../../domain/plural.ts";
import { MAX_READ, maySignIn, readSigns } from "../../../domain/sign-in/page-signs.ts";
import type { SignedOutWhen } from "../../../domain/sign-in/read-sign-in.ts";
import { weighPage } from "../../../domain/sign-in/sign-in-page.ts";
import { createHostBreaker } from "../../../net/host-breaker.ts";
import { createRetryPolicy } from "../../../net/retry-policy.ts";
import { standingOf } from "../../../net/standing.ts";
import { isActing } from "../../../schema/a11y-depths.ts";
import type { ReportSpec } from "../../../schema/report.ts";
import type { Logger } from "../../../telemetry/log.ts";
import type { CheckOptions, EngineRunner, PageTask } from "../../engine.ts";
import { requireActed, requirePage, requireSameHost } from "../../page-response.ts";
import { actIfAsked, versionWith } from "../acting/act.ts";
import { cutPictures } from "./cut-pictures.ts";
import { axeIssues, MAX_NODES_PER_RULE, MAX_TEXT_LENGTH } from "./issues.ts";
import { locate } from "./locate.ts";
import { measureContrast } from "./measure-contrast.ts";
import { readAxe, runAxe } from "./page.ts";
import { tryRepairs } from "./repair.ts";
import { ORIENTATION_LOCK } from "./rules.ts";
import { settleContrast } from "./settle-contrast.ts";
import { createTabGauge, tabLimits } from "./tab-gauge.ts";
import type { TabLimits } from "./tabs.ts";

type Options = BrowserSettings & {
  spec: ReportSpec;
  /** Time for a page in all: loading, waiting for network idle, axe-core and screenshot. */
  timeLimitMs?: number;
  /** How long to retry the start of a browser that has ended. */
  restartTimeoutMs?: number;
  /** Limits of the number of pages that are visited at once; by default those of this machine. */
  tabLimits?: TabLimits;
};

const limits = {
  nodesPerRule: MAX_NODES_PER_RULE,
  textLength: MAX_TEXT_LENGTH,
  descriptions: 2_000_000,
  classes: 2_000_000,
};

/**
 * The accessibility engine: axe-core in a Chromium of its own. A page gets nothing of what pages before it stored:
 * contexts are reused for a number of visits, and cleared after each.
 *
 * @throws UsageError when there is no Chromium to use
 */
export async function createAxeRunner({
  spec,
  timeLimitMs = spec.pageTimeoutSeconds * 1_000,
  tabLimits: limitsOfTabs,
  ...settings
}: Options): Promise<EngineRunner> {
  const axe = await readAxe();
  const engine: Engine = { name: "axe-core", version: versionWith(axe.version, spec) };
  const device = await deviceFor(spec);
  const credentials = credentialsFor(spec.startingUrl, settings.credentials);
  const acts = createActRule(spec, standingOf(settings));
  const playsSound = isActing(spec.a11yDepth);
  const open = () =>
    openBrowser({ ...settings, credentials, acts, device, idleLimitMs: timeLimitMs, script: axe.source, playsSound });
  const browser = await open();
  const options = runOptions(spec);
  const preparation = preparationOf(spec);
  const retryPolicy = createRetryPolicy();
  const breaker = createHostBreaker();
  const gauge = createTabGauge(limitsOfTabs ?? tabLimits(settings.browserSocket !== undefined));

  type Visit = { task: PageTask; beforeRequest: () => Promise<void>; onResponse: (response: PageResponse) => void };
  const visit = async (tab: Tab, { task, beforeRequest, onResponse }: Visit): Promise<CheckOutcome> => {
    const page = withoutVariant(task.url);
    let isLoaded = false;
    let askedAt: number | undefined;
    await tab.load(page, {
      beforeRequest: async (url) => {
        requireSameHost(url, page);
        await gauge.waitForRate(beforeRequest);
        askedAt = performance.now();
      },
      checkResponse: (response) => {
        onResponse(response);
        if (askedAt !== undefined) gauge.noteAnswer(performance.now() - askedAt);
        askedAt = undefined;
        // Steps may lead to another page, such as one with the errors of a form.
        if (isLoaded) requireActed(response, page);
        else requirePage(response, page, spec);
      },
    });
    isLoaded = true;
    await requireSession(tab, credentials?.session?.signedOutWhen, page);
    requireScripts(tab, page);
    const prepared = [...(await preparation.awaitContent(tab)), ...(await preparation.doSteps(tab, task.url))];
    // Steps may open a form to sign in, too.
    const html = task.showsSignIn || variantOf(task.url).state !== undefined ? "" : await tab.html(MAX_READ);
    if (maySignIn(html)) requireNoForm(task.url, weighPage(readSigns(html)), credentials !== undefined);
    const judge = async () => {
      await tab.scrollThrough();
      const world = await tab.createWorld(tab.mainFrameId);
      await tab.watchChanges(world);
      const wrong = spec.hide.length > 0 ? await tab.call(world, wrongSelectors, spec.hide) : [];
      const hide = spec.hide.filter((selector) => !wrong.includes(selector));
      const { chosen, cuts } = await inTime(tab, world, options);
      const found = await runAxe(tab, axe.source, chosen, limits, { withRaw: spec.storeRawA11yChecks, hide });
      // Only those who keep reviews pay for the pictures: others would not see what is left open.
      const measured = spec.storeIncompleteChecks ? await measureContrast(tab, found.findings) : undefined;
      const findings = settleContrast(found.findings, measured);
      const { violations, incomplete } = findings;
      await locate(tab, spec.storeIncompleteChecks ? [...violations, ...incomplete] : violations);
      const screenshot = spec.storeScreenshot ? await tab.screenshot() : undefined;
      const issues = axeIssues(findings, spec.storeIncompleteChecks, new URL(task.url).origin);
      const pictures = screenshot ? await cutPictures(tab, screenshot, issues) : [];
      return { ...found, cuts, issues, screenshot, pictures, wrong, hide, changes: await tab.changes(world) };
    };
    const { issues, raw, untested, cuts, screenshot, pictures, wrong, hide, changes } = await judge().catch((error) => {
      // axe-core's world ends with its document.
      tab.requireSameDocument();
      throw error;
    });
    tab.requireSameDocument();
    const stopped = stoppedNotice(tab);
    const opensOnly = acts.guardsPages && acts.signedIn(page);
    // Acting uses the page as it is, and leaves it as nobody knows.
    if (!isActing(spec.a11yDepth)) await tryRepairs(tab, issues, spec.standard, timeLimitMs - tab.usedMs());
    const acted = await actIfAsked(tab, task, { ...spec, hide, opensOnly, cuts }, timeLimitMs - tab.usedMs());
    return {
      kind: "a11y",
      engine,
      issues: [...issues, ...acted.issues],
      notices: [
        ...prepared,
        ...noticeOf(
          "not_hidden",
          wrong.map((selector) => `${JSON.stringify(selector)} is not a CSS selector`),
        ),
        ...frameNotices(task.url, untested),
        ...changeNotices(changes),
        ...stopped,
        ...(spec.storeScreenshot ? pictureNotice(screenshot) : []),
        ...acted.notices,
      ],
      ...(raw ? { raw } : {}),
      ...(screenshot && { screenshot, pictures }),
      ...(acted.facts && { facts: acted.facts }),
    };
  };

  /** Whether a page asks to sign in, in the session as it is now. */
  const looksSignedOut = async (tab: Tab, url: string, beforeRequest: () => Promise<void>): Promise<boolean> => {
    try {
      await tab.load(url, {
        beforeRequest: async (next) => {
          requireSameHost(next, url);
          await gauge.waitForRate(beforeRequest);
        },
        checkResponse: (response) => requirePage(response, url, spec),
      });
      await requireSession(tab, credentials?.session?.signedOutWhen, url);
      const html = await tab.html(MAX_READ);
      if (maySignIn(html)) requireNoForm(url, weighPage(readSigns(html)), true);
      return false;
    } catch (error) {
      if (error instanceof PageError && error.code === "login_required") return true;
      throw error;
    }
  };

  const checkIn = async (
    { withTab }: Browser,
    task: PageTask,
    { signal, beforeRequest }: CheckOptions,
  ): Promise<CheckOutcome> => {
    for (let tries = 0; ; tries += 1) {
      const seen: { response?: PageResponse } = {};
      const onResponse = (response: PageResponse) => {
        seen.response = response;
      };
      try {
        const visited = { task, beforeRequest, onResponse };
        const visitPage = () =>
          breaker.run(task.url, async () => {
            // Before the tab is opened: a site may ask for a minute.
            await retryPolicy.wait(signal);
            return withTab(
              { signal, timeLimitMs, device: await deviceOfVariant(task.url, spec) },
              gauge.once((tab: Tab) => visit(tab, visited)),
            );
          });
        const look = (url: string) =>
          withTab({ signal, timeLimitMs }, (tab) => looksSignedOut(tab, url, beforeRequest));
        const { session } = credentials ?? {};
        const outcome = await (session?.run(withoutVariant(task.url), { visit: visitPage, look }) ?? visitPage());
        return { ...outcome, httpStatus: seen.response?.status ?? null };
      } catch (error) {
        const broken = environmentFault(error);
        if (signal.aborted || broken) throw broken ?? error;
        const { status = 0, headers } = seen.response ?? {};
        gauge.noteEnd(error, status);
        if (retryPolicy.shouldRetry({ status, retryAfter: headers?.["retry-after"] }, tries)) continue;
        return failed(task, error, settings.log, seen.response);
      }
    }
  };

  return {
    kind: "a11y",
    get concurrency() {
      return gauge.tabs();
    },
    async check(task, options) {
      if (!options.alone) return gauge.run(() => checkIn(browser, task, options));
      const own = await open();
      try {
        return await checkIn(own, task, options);
      } finally {
        await own.close();
      }
    },
    close: () => browser.close(),
  };
}

/** axe-core compares each control with each other one: 2,000 take a second, 20,000 more time than a page has. */
const MAX_MEASURED = 2_000;
const TARGET_SIZE = "target-size";

/** Runs in the page. */
function countControls(): number {
  return document.querySelectorAll("a[href], button, input, select, textarea, summary, [role], [tabindex]").length;
}

/** Leaves out what would take all time of a page. @returns what is run, and what is not, in words */
async function inTime(
  tab: Pick<Tab, "call">,
  world: number,
  options: RunOptions,
): Promise<{ chosen: RunOptions; cuts: string[] }> {
  const measures = options.rules?.[TARGET_SIZE]?.enabled === true;
  const controls = measures ? await tab.call(world, countControls) : 0;
  if (controls <= MAX_MEASURED) return { chosen: options, cuts: [] };
  const rules = { ...options.rules, [TARGET_SIZE]: { enabled: false } };
  return { chosen: { ...options, rules }, cuts: [`the sizes of its ${number(controls)} controls were not compared`] };
}

/** @throws PageError for a page that shows that its session has ended */
async function requireSession(tab: Tab, when: SignedOutWhen | undefined, page: string): Promise<void> {
  if (!when || (when.url !== undefined && !tab.address().includes(when.url))) return;
  const { selector, text } = when;
  if ((selector !== undefined || text !== undefined) && (await tab.find({ selector, text })) !== undefined) return;
  throw new PageError("login_required", `${page} shows what signed_out_when names.`);
}

/** axe-core cannot run in a document whose policy forbids scripts: it would never end. @throws PageError */
function requireScripts(tab: Tab, url: string): void {
  if (!tab.forbidsScripts(tab.mainFrameId)) return;
  const detail = `${url} has a Content-Security-Policy with "sandbox" without "allow-scripts", so axe-core cannot run in it.`;
  throw new PageError("scripts_blocked", detail);
}

function changeNotices({ added, first }: Changes): CheckNotice[] {
  if (added === 0) return [];
  const what = added === 1 ? `${first} was added` : `${number(added)} elements were added, the first one ${first}`;
  return [{ code: "document_changed", howMany: 1, detail: `${what}.` }];
}

function failed({ url }: PageTask, error: unknown, log: Logger, response?: PageResponse): CheckOutcome {
  if (error instanceof PageError) {
    const isKnown = response !== undefined || noResponseCodes.has(error.code);
    return {
      kind: "a11y",
      failure: error.failure,
      ...(isKnown && { httpStatus: response?.status ?? null }),
      // A server that does not respond would not do so later.
      ...(error.code === "timeout" && (response || error.waitedFor !== "server") && { deadlineExceeded: true }),
    };
  }
  log.warn("axe-core could not check a page", { url, error });
  const reason = errorText(error);
  return { kind: "a11y", failure: { code: "engine_error", detail: `axe-core failed: ${reason.slice(0, 500)}` } };
}

function runOptions(spec: ReportSpec): RunOptions {
  return {
    // Media that never load must not use up the page's time.
    preload: { assets: ["cssom", "media"], timeout: 3_000 },
    rules: Object.fromEntries(
      [ORIENTATION_LOCK, ...(isActing(spec.a11yDepth) ? Object.keys(axeRulesOfActing) : [])].map((rule) => [
        rule,
        { enabled: true },
      ]),
    ),
    // Saves time, but truncates the other results, which the raw result must contain in full.
    ...(spec.storeRawA11yChecks ? {} : { resultTypes: ["violations", "incomplete"] }),
  };
}
