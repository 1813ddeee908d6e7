/** Waits until `look` gives something; a test's own timeout is the limit. */
export async function eventually<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
