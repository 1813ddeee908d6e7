/**
 * Ajv's options for schemas of our own: it would take three times as long to hold them against the meta-schema as to
 * compile them, in every process. A test does it (test/unit/schema/own-schemas.test.ts).
 */
export const ownSchemas = { meta: false, validateSchema: false } as const;
