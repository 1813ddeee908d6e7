/** Waits until `look` gives something; a test's own timeout is the limit. */
export async function eventually<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    // Not a reason to live: a test that timed out must not wait on for ever.
    await new Promise((resolve) => setTimeout(resolve, 10).unref());
  }
}
