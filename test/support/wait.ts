const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 50;

/** How many times slower than two quiet cores the machine may be: the factor of all limits of tests. CI sets it. */
const PATIENCE = Number(process.env.TEST_PATIENCE) || 1;

/** The limit of a test, or of a wait, that takes long on a quiet machine: `this.timeout(limitOf(60))`. In milliseconds. */
export const limitOf = (seconds: number): number => seconds * 1000 * PATIENCE;

/** The limit of what a cluster does: it pulls images, starts containers, and deletes what others still hold. */
export const ON_A_CLUSTER = { seconds: 200 };

/**
 * Waits until `look` returns a value. The longer it takes, the longer are the pauses: looking often would keep a core
 * busy that what is waited for needs.
 *
 * @param seconds the limit, on two quiet cores
 * @throws an Error with the source of `look` when the limit has passed
 */
export async function eventually<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  { seconds = 15 }: { seconds?: number } = {},
): Promise<Value> {
  // Made here, because the stack of a later error does not lead to the test.
  const tooLate = new Error(`Not within ${seconds} s${PATIENCE === 1 ? "" : ` times ${PATIENCE}`}: ${look}`);
  // Tests let the other clocks jump.
  const end = process.hrtime.bigint() + BigInt(limitOf(seconds)) * 1_000_000n;
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.2)) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (process.hrtime.bigint() > end) throw tooLate;
    // Unreferenced, so that a test that timed out does not keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  }
}
