/**
 * Waits for `work`, but only until `signal` aborts. Work that takes longer continues, and an error that it throws then
 * is ignored.
 *
 * @throws the signal's reason, or the error of `work`
 */
export function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
