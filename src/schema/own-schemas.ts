/**
 * Ajv's options for our own schemas. They are not validated against the meta-schema in every process, which would take
 * three times as long as compiling them. What only a Kubernetes API server needs is ignored. A test does it (test/unit/schema/own-schemas.test.ts).
 * To optimise the code for a validator takes as long as to make it, and most run a few times.
 */
export const ownSchemas = {
  meta: false,
  validateSchema: false,
  keywords: ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"],
  code: { optimize: false },
};
