/** Wakes one waiting loop. A ring while nobody waits is kept for the next wait; several are one. */
export type Notifier = {
  ring(): void;
  /** Resolves at the next ring, at once when one was kept, or after `milliseconds`. */
  wait(milliseconds: number): Promise<void>;
};

export function createNotifier(): Notifier {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      if (wake) wake();
      else rung = true;
    },
    wait(milliseconds) {
      if (rung) {
        rung = false;
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
