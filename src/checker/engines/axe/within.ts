/** Waits for something for a while. @param instead the result when it takes longer, or fails */
export async function within<Result>(limitMs: number, pending: Promise<Result>, instead: Result): Promise<Result> {
  const timeout = Promise.withResolvers<Result>();
  const timer = setTimeout(() => timeout.resolve(instead), limitMs);
  try {
    return await Promise.race([pending.catch(() => instead), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
