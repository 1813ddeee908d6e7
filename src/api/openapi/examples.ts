import recorded from "./examples.json" with { type: "json" };

/** Requests that tests sent and their responses, by operation id; and a response for each error status. */
export type Examples = {
  operations: Readonly<Record<string, { request?: unknown; response?: unknown }>>;
  errors: Readonly<Record<string, unknown>>;
};

/** Written by test/integration/api/openapi.test.ts: ids, times and secrets are replaced. */
export const recordedExamples: Examples = recorded;
