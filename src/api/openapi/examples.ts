import recorded from "./examples.json" with { type: "json" };

/** A request that a test made and what it was answered with, by operation id; and an answer for each error status. */
export type Examples = {
  operations: Readonly<Record<string, { request?: unknown; response?: unknown }>>;
  errors: Readonly<Record<string, unknown>>;
};

/** Written by test/integration/openapi.test.ts: ids, times and secrets are replaced. */
export const recordedExamples: Examples = recorded;
