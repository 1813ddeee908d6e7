/**
 * The channel of notifications about changed reports, schedules and mutings. The payload is an id, MUTINGS_CHANGED or
 * COMPARISON_REQUESTED.
 */
export const CHANNEL = "site_validator";
