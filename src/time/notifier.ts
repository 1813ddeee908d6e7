/** Wakes one waiting loop. A notification while nobody waits is kept for the next wait; several count as one. */
export type Notifier = {
  notify(): void;
  /**
   * Waits for a notification, but no longer than `milliseconds`, and no longer than until `signal` aborts.
   *
   * @returns whether there was one
   */
  wait(milliseconds: number, signal?: AbortSignal): Promise<boolean>;
};

export function createNotifier(): Notifier {
  let pending = false;
  let wake = (): void => {};
  return {
    notify() {
      pending = true;
      wake();
    },
    async wait(milliseconds, signal) {
      if (!pending && !signal?.aborted) {
        const woken = Promise.withResolvers<void>();
        wake = woken.resolve;
        const timer = setTimeout(wake, milliseconds);
        signal?.addEventListener("abort", wake);
        await woken.promise;
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
      }
      const notified = pending;
      pending = false;
      return notified;
    },
  };
}
