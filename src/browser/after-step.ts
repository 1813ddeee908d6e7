import { errorText } from "../domain/error-text.ts";
import { MAX_TIMER_MS, type Timers } from "./late-content.ts";
import { untilDue } from "./load.ts";
import type { UnderWay, Watch } from "./watch.ts";

/** What steps wait by. */
export type StepWatch = {
  watch: Watch;
  /** When the timers are due that the page's scripts have started. */
  timers(): Promise<Timers>;
  /** Returns when the page has done the tasks that it has queued. */
  flush(): Promise<unknown>;
  /** Milliseconds by the clock, without what is waited for so that the site is not asked too often. */
  now(): number;
};

/** Nothing begins any more after this time without a sign; scripts need longer when they have just received something. */
const QUIET_MS = { before: 40, after: 120 };
/** A page is there when it is parsed, even if one of its images never comes. */
const LATE_LOAD_MS = 3_000;
/** What is asked for as often is asked for without end. */
const MAX_ASKED = 3;

/** What was under way when a step began, which it does not wait for. */
export type Before = { ids: ReadonlySet<string>; loaderId: string };

export function beforeStep({ watch }: StepWatch): Before {
  return { ids: new Set(watch.underWay().keys()), loaderId: watch.loaderId() };
}

/** Whether the document is another one than before the step. */
export function hasLeft({ watch }: StepWatch, before: Before): boolean {
  return watch.loaderId() !== before.loaderId;
}

/** What has not come within the limit, with the address that it was asked from. */
export type Missing = { what: "page" | "answer"; url: string };

/**
 * Waits for what a step has started: the page that it leads to, by whatever means, and answers to what its scripts ask for.
 *
 * @param limits in ms: for a page, and for answers; what has not come then is left to itself
 * @returns what has not come
 */
export async function untilAnswered(
  waits: StepWatch,
  before: Before,
  limits: { page: number; answer: number },
): Promise<Missing | undefined> {
  const { watch, flush, now } = waits;
  const start = now();
  const signs = signsOf(waits, before);
  // A form is sent in a task of its own.
  await flushed(flush);
  let quietMs = QUIET_MS.before;
  for (;;) {
    const { isComing, asked } = signs();
    const left = start + (isComing ? limits.page : limits.answer) - now();
    const [first] = asked;
    if (left <= 0 && isComing) return { what: "page", url: first?.url ?? watch.requestedUrl() };
    if (left <= 0) return first && { what: "answer", url: first.url };
    if (isComing || first) {
      quietMs = QUIET_MS.after;
      await watch.changes(Math.min(left, 1_000));
    } else if (await staysQuiet(waits, signs, Math.min(quietMs, left))) return undefined;
  }
}

type Signs = () => { isComing: boolean; asked: UnderWay[] };

/** What a step has started and what has not come yet: a page, with its request first, or answers. */
function signsOf({ watch, now }: StepWatch, before: Before): Signs {
  const counts = new Map<string, number>();
  const seen = new Set(before.ids);
  /** When the document was first seen that is there. */
  let parsed = { loaderId: before.loaderId, at: now() };
  return () => {
    const asked = newRequests(watch, before, seen, counts).sort((a, b) => Number(b.isPage) - Number(a.isPage));
    if (parsed.loaderId !== watch.loaderId() && watch.isParsed()) parsed = { loaderId: watch.loaderId(), at: now() };
    const isComing = watch.isNavigating() || asked[0]?.isPage === true || !isThere(watch, before, parsed, now());
    return { isComing, asked };
  };
}

/** Waits until nothing has begun for a while. @returns whether nothing has */
async function staysQuiet(waits: StepWatch, signs: Signs, quietMs: number): Promise<boolean> {
  const { watch, flush, now } = waits;
  const due = await leavingIn(waits);
  if (due > 0) {
    await untilDue(watch, due);
    return false;
  }
  await flushed(flush);
  const end = now() + quietMs;
  for (let left = quietMs; left > 0; left = end - now()) {
    await watch.changes(left);
    const { isComing, asked } = signs();
    if (isComing || asked.length > 0) return false;
  }
  return true;
}

/** In how many ms a script of the page leads on; 0 if none is about to. */
async function leavingIn({ timers }: StepWatch): Promise<number> {
  const { leaving } = await timers().catch(() => ({ leaving: 0 }));
  return leaving <= MAX_TIMER_MS ? leaving : 0;
}

/** Those in progress that the step has begun, without what is asked for again and again. */
function newRequests(watch: Watch, { ids }: Before, seen: Set<string>, counts: Map<string, number>): UnderWay[] {
  return [...watch.underWay()].flatMap(([id, request]) => {
    if (ids.has(id)) return [];
    const address = request.url.replace(/[?#].*/s, "");
    if (!seen.has(id)) counts.set(address, (counts.get(address) ?? 0) + 1);
    seen.add(id);
    return request.isPage || (counts.get(address) ?? 0) <= MAX_ASKED ? [request] : [];
  });
}

/** Whether the document that the step led to has loaded, or nearly so. */
function isThere(watch: Watch, before: Before, parsed: { loaderId: string; at: number }, now: number): boolean {
  if (watch.loaderId() === before.loaderId || watch.isLoaded()) return true;
  return parsed.loaderId === watch.loaderId() && now - parsed.at > LATE_LOAD_MS;
}

async function flushed(flush: StepWatch["flush"]): Promise<void> {
  await flush().catch((error: unknown) => {
    if (!isReplaced(error)) throw error;
  });
}

/** Whether something failed because the document that it was done in has gone: nobody needs to read how that is called. */
export function isReplaced(error: unknown): boolean {
  return /context was destroyed|cannot find context|context with specified id|detached|not attached|no longer attached|different document|inspected target navigated|object reference chain|could not find (?:node|object)|frame was removed/i.test(
    errorText(error),
  );
}
