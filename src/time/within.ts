/**
 * Waits for `work`, but no longer than `ms`. Work that takes longer continues, and its error is then ignored.
 *
 * @returns the result, or `otherwise` when the time is over
 * @throws the error of `work`, if it fails in time
 */
export async function within<Result, Otherwise>(
  ms: number,
  work: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  const timeout = Promise.withResolvers<Otherwise>();
  const timer = setTimeout(timeout.resolve, ms, otherwise);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether something succeeds in time. */
export function succeedsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const succeeds = work.then(
    () => true,
    () => false,
  );
  return within(ms, succeeds, false);
}
