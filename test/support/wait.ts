/** Waits until `look` returns a value; the test's own timeout is the limit. */
export async function eventually<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    // Unreferenced, so that a test that timed out does not keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, 10).unref());
  }
}
