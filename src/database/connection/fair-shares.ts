import { mayTake } from "../../domain/fair-share.ts";

type Waiting = { caller: string; start: () => void; fail: (message: string) => void };

/** Gives a place back. */
type End = () => void;

/** Places that callers share fairly, such as the connections of a pool. */
export type FairShares = {
  /** Whether this caller may take a place at once. */
  isFree(caller: string): boolean;
  /** Takes a place, for nobody in particular if there is no caller. */
  take(caller: string | undefined): End;
  /**
   * Waits for a place: of those that may take one, whoever has waited longest comes first.
   *
   * @throws an Error with the message `tooLate` when the time is over, or with that of `end`
   */
  wait(caller: string, tooLate: string): Promise<End>;
  /** Ends all waiting with an Error. */
  end(message: string): void;
};

/** @param waitMs how long a caller waits at most, in milliseconds */
export function createFairShares({ max, waitMs }: { max: number; waitMs: number }): FairShares {
  const held = new Map<string, number>();
  let used = 0;
  let waiting: Waiting[] = [];

  const isFree = (caller: string): boolean => mayTake(held.get(caller) ?? 0, used, max);
  const ready = (): Waiting | undefined => waiting.find(({ caller }) => isFree(caller));
  const startNext = (): void => {
    for (let next = ready(); next; next = ready()) next.start();
  };

  function take(caller: string | undefined): End {
    used += 1;
    if (caller !== undefined) held.set(caller, (held.get(caller) ?? 0) + 1);
    return () => {
      used -= 1;
      if (caller !== undefined) {
        const left = (held.get(caller) ?? 1) - 1;
        if (left > 0) held.set(caller, left);
        else held.delete(caller);
      }
      startNext();
    };
  }

  return {
    isFree,
    take,
    wait(caller, tooLate) {
      const { promise, resolve, reject } = Promise.withResolvers<End>();
      const leave = () => {
        clearTimeout(timer);
        waiting = waiting.filter((other) => other !== own);
      };
      const own: Waiting = {
        caller,
        fail(message) {
          leave();
          reject(new Error(message));
        },
        start() {
          leave();
          resolve(take(caller));
        },
      };
      const timer = setTimeout(own.fail, waitMs, tooLate);
      waiting.push(own);
      return promise;
    },
    end(message) {
      for (const { fail } of [...waiting]) fail(message);
    },
  };
}
