/**
 * Lets calls that are made at about the same time share one read.
 *
 * @param read what the values of these keys are, each of which it is given once; a key without a value is left out
 * @param most how many keys one read may be given
 * @returns a function that resolves to the value of a key, or undefined, and rejects as its read does
 */
export function gather<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  most: number,
): (key: string) => Promise<Value | undefined> {
  type Next = { keys: Set<string>; values: Promise<ReadonlyMap<string, Value>> };
  let next: Next | undefined;
  const begin = (): Next => {
    const keys = new Set<string>();
    // After all that is ready now has run.
    const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (next?.keys === keys) next = undefined;
      return read([...keys]);
    });
    return { keys, values };
  };
  return async (key) => {
    if (next === undefined || next.keys.size >= most) next = begin();
    next.keys.add(key);
    return (await next.values).get(key);
  };
}
