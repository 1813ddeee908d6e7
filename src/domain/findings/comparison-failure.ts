/** Why a comparison that was asked for could not be made. Codes are stable: add, never rename. */
export const comparisonFailures = {
  took_too_long: "The two reports have too many findings to be compared in the time that a statement may take.",
  not_compared:
    "The comparison failed, with an error that another try would not have changed, or in each of several tries. The service's log has the cause.",
} as const;

export type ComparisonFailure = keyof typeof comparisonFailures;
