/** Measures how long something takes, by the clock of this process alone. */
export type Stopwatch = {
  /** The same function, whose time is not counted. */
  without<Given extends unknown[]>(wait: (...given: Given) => Promise<void>): (...given: Given) => Promise<void>;
  /** Whole milliseconds until now. */
  ms(): number;
};

export function startStopwatch(): Stopwatch {
  const begun = performance.now();
  let waited = 0;
  return {
    without:
      (wait) =>
      async (...given) => {
        const from = performance.now();
        await wait(...given).finally(() => {
          waited += performance.now() - from;
        });
      },
    ms: () => Math.max(0, Math.round(performance.now() - begun - waited)),
  };
}
