/** The channel of notifications about changed reports, schedules and mutings. The payload is an id, or MUTINGS_CHANGED. */
export const CHANNEL = "site_validator";
