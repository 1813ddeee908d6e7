/** The reason for which a check is aborted, as an error. */
export function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error("The check was aborted.");
}
