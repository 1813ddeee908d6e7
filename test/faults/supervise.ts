/** Something that runs and may end: as systemd or a kubelet does, it is started again. */
type Started = { ended: Promise<unknown> };

export type Supervised<Running extends Started> = {
  /** What runs now; waits for a start that goes on. */
  current(): Promise<Running>;
  /** How often it has been started again. */
  restarts(): number;
  /** Starts it no more; what runs still runs. */
  release(): Promise<Running | undefined>;
};

/** Starts it, and starts it again whenever it ends or cannot be started. The first start has to work. */
export async function supervise<Running extends Started>(start: () => Promise<Running>): Promise<Supervised<Running>> {
  let restarts = 0;
  let released = false;
  let running: Running | undefined = await start();
  let waiting: (() => void)[] = [];

  async function watch(): Promise<void> {
    while (!released) {
      await running?.ended;
      running = undefined;
      if (released) return;
      restarts++;
      await new Promise((resolve) => setTimeout(resolve, 200));
      running = await start().catch(() => undefined);
      if (!running) continue;
      for (const resolve of waiting) resolve();
      waiting = [];
    }
  }
  watch();

  return {
    async current() {
      while (!running) await new Promise<void>((resolve) => waiting.push(resolve));
      return running;
    },
    restarts: () => restarts,
    async release() {
      released = true;
      return running;
    },
  };
}
