import { setTimeout as sleep } from "node:timers/promises";
import { forPage, variantOf } from "../domain/addresses/page-variant.ts";
import { noticeOf } from "../domain/coverage/check-notices.ts";
import type { CheckNotice } from "../domain/coverage/notices.ts";
import { PageError } from "../domain/failure.ts";
import type { Screenshot } from "../domain/findings/findings.ts";
import type { ReportSpec } from "../schema/report.ts";
import { type PageSteps, readPageSteps, type Step } from "../schema/steps.ts";
import type { Performed, Tab } from "./tab.ts";

const POLL_MS = 100;
const DEFAULT_WAIT_SECONDS = 10;

/** How a report's pages are prepared before they are read or judged. */
export type Preparation = {
  /** Waits for what comes late. @returns what did not come */
  awaitContent(tab: Pick<Tab, "find">): Promise<CheckNotice[]>;
  /** Whether there is something to do on a page. */
  hasSteps(url: string): boolean;
  /**
   * Does what is done on each page, and what leads to its state.
   *
   * @param url of the page, with its state
   * @returns what could not be done
   * @throws PageError `steps_failed` when the page cannot be brought into its state
   */
  doSteps(tab: Pick<Tab, "perform">, url: string): Promise<CheckNotice[]>;
};

/** Reads what a report's definition says of that, once for all its pages. */
export function preparationOf({
  waitFor,
  prepare,
  states,
}: Pick<ReportSpec, "waitFor" | "prepare" | "states">): Preparation {
  const stepsFor = forPage(prepare.map((one) => ({ url: one.url, steps: stepsOf(one) })));
  const ofState = new Map(states.map((one) => [one.name, stepsOf(one)]));
  return {
    awaitContent: async (tab) => noticeOf("not_ready", await awaitContent(tab, waitFor)),
    hasSteps: (url) => variantOf(url).state !== undefined || stepsFor(url).length > 0,
    doSteps: async (tab, url) => {
      const notDone: string[] = [];
      const did: Performed[] = [];
      for (const { steps } of stepsFor(url)) {
        const handsOff = steps.findLast(({ type }) => POINTING.has(type))?.type !== "hover";
        const failure = await doAll(tab, { steps, handsOff, did });
        if (failure) notDone.push(failure.message);
      }
      const { state } = variantOf(url);
      const steps = state === undefined ? [] : ofState.get(state);
      if (!steps) throw new PageError("steps_failed", `The report has no state ${state}.`);
      const failure = state === undefined ? undefined : await doAll(tab, { steps, handsOff: false, did });
      if (failure) throw new PageError("steps_failed", failure.message, { cause: failure });
      const isSame = state !== undefined && did.at(-1)?.isSame;
      return [
        ...noticeOf("not_prepared", notDone),
        ...noticeOf(
          "steps_unsettled",
          did.flatMap(({ changing }) => changing),
        ),
        ...noticeOf("state_shows_nothing", isSame ? [`The steps of ${state} changed nothing`] : []),
        ...noticeOf(
          "steps_passed_by",
          did.flatMap(({ passedBy }) => passedBy),
        ),
      ];
    },
  };
}

/** Steps that move the mouse. */
const POINTING: ReadonlySet<Step["type"]> = new Set<Step["type"]>(["click", "doubleClick", "hover"]);

type Doing = { steps: readonly Step[]; handsOff: boolean; did: Performed[] };

/** Does steps, and notes what they came to. @returns the error of one that could not be done */
async function doAll(tab: Pick<Tab, "perform">, { steps, handsOff, did }: Doing): Promise<Error | undefined> {
  try {
    did.push(await tab.perform(steps, handsOff));
    return undefined;
  } catch (error) {
    if (!isStepError(error)) throw error;
    return error;
  }
}

/** The steps of a definition, which was validated when it was given. */
function stepsOf({ steps, timeout }: PageSteps): Step[] {
  const read = readPageSteps({ steps, ...(timeout !== undefined && { timeout }) });
  return "steps" in read ? read.steps : [];
}

/** @returns what is still not there, in words */
async function awaitContent(
  tab: Pick<Tab, "find">,
  { selector, text, seconds = DEFAULT_WAIT_SECONDS }: ReportSpec["waitFor"],
): Promise<string[]> {
  if (selector === undefined && text === undefined) return [];
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const missing = await tab.find({ selector, text });
    if (missing === undefined) return [];
    if (performance.now() > end) return [`After ${seconds} s, ${missing}`];
    await sleep(POLL_MS);
  }
}

/** What a page asked for in vain: because it may change something, leads inside from outside, or is too much. */
export function stoppedNotice(tab: Pick<Tab, "stopped" | "refused">): CheckNotice[] {
  return [...noticeOf("requests_stopped", tab.stopped()), ...noticeOf("requests_refused", tab.refused())];
}

/** That a page whose picture was asked for has none. */
export function pictureNotice(screenshot: Screenshot | undefined): CheckNotice[] {
  return noticeOf("no_picture", screenshot ? [] : ["What it shows could not be painted over"]);
}

/** Its module loads much, so that it is not loaded here. */
function isStepError(error: unknown): error is Error {
  return error instanceof Error && error.name === "StepError";
}
