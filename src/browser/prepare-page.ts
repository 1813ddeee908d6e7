import { setTimeout as sleep } from "node:timers/promises";
import { noticeOf } from "../domain/coverage/check-notices.ts";
import type { CheckNotice } from "../domain/coverage/notices.ts";
import { PageError } from "../domain/failure.ts";
import { forPage, variantOf } from "../domain/site/page-variant.ts";
import type { ReportSpec } from "../schema/report.ts";
import { readPageSteps, type Step } from "../schema/steps.ts";
import type { Tab } from "./tab.ts";

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
  const stepsFor = forPage(prepare.map(({ url, steps }) => ({ url, steps: stepsOf(steps) })));
  const ofState = new Map(states.map(({ name, steps }) => [name, stepsOf(steps)]));
  return {
    awaitContent: async (tab) => noticeOf("not_ready", await awaitContent(tab, waitFor)),
    hasSteps: (url) => variantOf(url).state !== undefined || stepsFor(url).length > 0,
    doSteps: async (tab, url) => {
      const notDone: string[] = [];
      const passedBy: string[] = [];
      for (const { steps } of stepsFor(url)) {
        try {
          passedBy.push(...(await tab.perform(steps)));
        } catch (error) {
          if (!isStepError(error)) throw error;
          notDone.push(error.message);
        }
      }
      const notices = () => [...noticeOf("not_prepared", notDone), ...noticeOf("steps_passed_by", passedBy)];
      const { state } = variantOf(url);
      if (state === undefined) return notices();
      const steps = ofState.get(state);
      if (!steps) throw new PageError("steps_failed", `The report has no state ${state}.`);
      try {
        passedBy.push(...(await tab.perform(steps)));
      } catch (error) {
        if (!isStepError(error)) throw error;
        throw new PageError("steps_failed", error.message, { cause: error });
      }
      return notices();
    },
  };
}

/** The steps of a definition, which was validated when it was given. */
function stepsOf(given: readonly unknown[]): Step[] {
  const read = readPageSteps(given);
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

/** What the scripts of a page asked for in vain, because it may change something. */
export function stoppedNotice(tab: Pick<Tab, "stopped">): CheckNotice[] {
  return noticeOf("requests_stopped", tab.stopped());
}

/** Its module loads much, so that it is not loaded here. */
function isStepError(error: unknown): error is Error {
  return error instanceof Error && error.name === "StepError";
}
