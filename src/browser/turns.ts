/** Lets visits run side by side, or one of them alone. */
export type Turns = {
  /** Runs `work` beside others, after one that runs alone. */
  together<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` when all others have ended, and no other work until it has ended. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
};

export function createTurns(): Turns {
  const open = new Set<Promise<unknown>>();
  let single: Promise<unknown> | undefined;
  return {
    async together(work) {
      // No other await: between this check and the start nothing else may begin.
      while (single) await single;
      const running = work();
      const settled = running.then(
        () => {},
        () => {},
      );
      open.add(settled);
      try {
        return await running;
      } finally {
        open.delete(settled);
      }
    },
    async alone(work) {
      while (single) await single;
      const turn = Promise.withResolvers<void>();
      single = turn.promise;
      try {
        await Promise.all(open);
        return await work();
      } finally {
        single = undefined;
        turn.resolve();
      }
    },
  };
}
