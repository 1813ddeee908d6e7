import type { Page } from "puppeteer-core";
import { within } from "../time/within.ts";
import type { StepWatch } from "./after-step.ts";
import { NOTE_TIMERS, readTimers } from "./late-content.ts";
import { attachWorkers, watchTab } from "./watch.ts";

/** What steps wait by in a page that is opened for them alone, before its first document. */
export async function watchSteps(page: Page): Promise<StepWatch> {
  const session = await page.createCDPSession();
  const { frameTree } = await session.send("Page.getFrameTree");
  const watch = watchTab(session, frameTree.frame.id, false);
  await Promise.all([session.send("Page.enable"), session.send("Network.enable"), attachWorkers(session)]);
  await page.evaluateOnNewDocument(NOTE_TIMERS);
  return {
    watch,
    timers: () => page.evaluate(readTimers),
    flush: () => flushTasks(page),
    now: () => performance.now(),
  };
}

/** A page whose scripts are forbidden has no tasks that end. */
const MAX_FLUSH_MS = 1_000;

/** Returns when a page has done the tasks that it has queued. */
export async function flushTasks(page: Page): Promise<void> {
  const done = page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve, 0)));
  await within(MAX_FLUSH_MS, done, undefined);
}
