import { withinUsed } from "../../../time/clock-limit.ts";

/** The time for one command: a page's scripts may never end. */
export const COMMAND_MS = 2_000;

/** A page does not react any more, so that acting ends. */
export class NoReaction extends Error {}

/** The time is over, so that acting ends. */
export class OutOfTime extends Error {}

/** What bounds acting on one page. */
export type Limit = {
  /** Whether its time is over. */
  isOver(): boolean;
  /** Waits for a command. @throws NoReaction; OutOfTime when the time was over before */
  command<Result>(work: Promise<Result>): Promise<Result>;
  /** Notes that something was not looked at, because there was too much of it: a page has any number of elements. */
  cut(what: string): void;
  /** What was noted, each once. */
  cuts(): string[];
};

/** @param usedMs how much time the page has used; on a busy machine less than has passed */
export function limitOf(ms: number, usedMs: () => number): Limit {
  const end = usedMs() + ms;
  const late = Symbol("late");
  const cuts = new Set<string>();
  return {
    cut: (what) => void cuts.add(what),
    cuts: () => [...cuts],
    isOver: () => usedMs() >= end,
    async command<Result>(work: Promise<Result>): Promise<Result> {
      // What was begun is not waited for.
      work.catch(() => {});
      if (usedMs() >= end) throw new OutOfTime();
      const result = await withinUsed(COMMAND_MS, usedMs, work, late);
      if (result !== late) return result as Result;
      throw new NoReaction(`the page did not react within ${COMMAND_MS / 1_000} s`);
    },
  };
}
