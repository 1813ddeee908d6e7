/**
 * Ajv's options for our own schemas: it would take three times as long to validate them against the meta-schema as to
 * compile them, in every process. A test does it (test/unit/schema/own-schemas.test.ts).
 */
export const ownSchemas = { meta: false, validateSchema: false } as const;
