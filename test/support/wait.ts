const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 50;

/**
 * Waits until `look` returns a value; the test's own timeout is the limit. The longer it takes, the longer are the
 * pauses: looking often would keep a core busy that what is waited for needs.
 */
export async function eventually<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.2)) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    // Unreferenced, so that a test that timed out does not keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  }
}
