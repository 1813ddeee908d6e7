/** Something that is started when it is first needed, and again by the next need after it has ended or could not start. */
export type WhileRunning<Value> = {
  /** @throws Error of the start */
  get(): Promise<Value>;
  /** Resolves when what was started last has ended, whatever its end. */
  ended(): Promise<void>;
};

/**
 * @param run starts it, calls `ready` with what is used of it, and settles when all of it has ended
 */
export function whileRunning<Value>(run: (ready: (value: Value) => void) => Promise<unknown>): WhileRunning<Value> {
  let current: { value: Promise<Value>; end: Promise<void> } | undefined;
  const start = () => {
    let end = Promise.resolve();
    const value = new Promise<Value>((resolve, reject) => {
      end = run(resolve).then(
        () => reject(new Error("It has ended before it was ready.")),
        (error: unknown) => reject(error),
      );
    });
    const started = { value, end };
    void end.then(() => {
      if (current === started) current = undefined;
    });
    return started;
  };
  return {
    get() {
      current ??= start();
      return current.value;
    },
    ended: async () => {
      await current?.end;
    },
  };
}
