/** Runs visits at the same time, or one of them alone. */
export type ReadWriteLock = {
  /** Runs `work` while other shared work may run, and no exclusive work. */
  shared<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` when all other work has ended; no other work starts until it ends. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result>;
};

export function createReadWriteLock(): ReadWriteLock {
  const running = new Set<Promise<unknown>>();
  let exclusive: Promise<unknown> | undefined;
  return {
    async shared(work) {
      // No other await: nothing else may start between this check and the start of `work`.
      while (exclusive) await exclusive;
      const result = work();
      const settled = result.then(
        () => {},
        () => {},
      );
      running.add(settled);
      try {
        return await result;
      } finally {
        running.delete(settled);
      }
    },
    async exclusive(work) {
      while (exclusive) await exclusive;
      const { promise, resolve } = Promise.withResolvers<void>();
      exclusive = promise;
      try {
        await Promise.all(running);
        return await work();
      } finally {
        exclusive = undefined;
        resolve();
      }
    },
  };
}
