import { within } from "../../../time/within.ts";

/** The time for one command: a page's scripts may never end. */
const COMMAND_MS = 2_000;

/** A page does not react any more, so that acting ends. */
export class NoReaction extends Error {}

/** What bounds acting on one page. */
export type Limit = {
  /** Whether its time is over. */
  isOver(): boolean;
  /** Waits for a command. @throws NoReaction */
  command<Result>(work: Promise<Result>): Promise<Result>;
};

export function limitOf(ms: number, now: () => number): Limit {
  const end = now() + ms;
  const late = Symbol("late");
  return {
    isOver: () => now() >= end,
    async command(work) {
      const result = await within(COMMAND_MS, work, late);
      if (result === late) throw new NoReaction(`the page did not react within ${COMMAND_MS / 1_000} s`);
      return result as Awaited<typeof work>;
    },
  };
}
