/**
 * Bytes that the specs of an account's Reports and Schedules may take together while their resources exist: the
 * cluster keeps them in etcd, and the controller reads all of them. Enough for 50 of the longest, or 10,000 usual ones.
 */
export const MAX_RESOURCE_BYTES = 20_000_000;

/** Why an account gets no more reports, as a sentence; undefined while its results are within its limit. */
export function storageFault(bytes: number, limit: number): string | undefined {
  if (bytes < limit) return undefined;
  const megabytes = (count: number) => `${Math.round(count / 1e6).toLocaleString("en")} MB`;
  return `The account's results take ${megabytes(bytes)} of ${megabytes(limit)}: delete reports. Their space is freed some time later.`;
}

/** Why an account gets no more resources, as a sentence; undefined while their definitions are within the limit. */
export function resourceFault(bytes: number, limit: number): string | undefined {
  if (bytes < limit) return undefined;
  const megabytes = (count: number) => `${(count / 1e6).toFixed(1)} MB`;
  return `The definitions of the account's schedules, and of its reports that run or have just ended, take ${megabytes(bytes)} of ${megabytes(limit)}: wait until reports have ended, or delete some.`;
}
