/** Wakes one waiting loop. A notification while nobody waits is kept for the next wait; several count as one. */
export type Notifier = {
  notify(): void;
  /** Resolves at the next notification, at once if one was kept, or after `milliseconds`. */
  wait(milliseconds: number): Promise<void>;
};

export function createNotifier(): Notifier {
  let pending = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      if (wake) wake();
      else pending = true;
    },
    wait(milliseconds) {
      if (pending) {
        pending = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          wake = undefined;
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        wake = done;
      });
    },
  };
}
