/** The columns that a report's row has from its resource. Only reports.ts writes them (docs/adr/0086). */
export const projectedColumns = {
  /** Which report it is, where its resource is, and what is asked for: as they were when the row was made. */
  fixed: [
    ...(["id", "account_id", "guest_token", "schedule_id", "namespace", "name", "request_id", "inserted_at"] as const),
    ...(["starting_url", "domain"] as const),
  ],
  /** Which resource it is a projection of, and what of a definition may change. */
  following: ["uid", "generation", "spec", "tags", "shared"],
} as const;
