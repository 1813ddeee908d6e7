import { expect } from "chai";
import { reportCrd, scheduleCrd } from "../../../src/schema/crd.ts";

type Schema = {
  type?: string;
  description?: string;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  maxLength?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
};

/** Every schema below `schema`, with its path. */
function* walk(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* walk(property, `${path}.${name}`);
  if (schema.items) yield* walk(schema.items, `${path}[]`);
}

for (const [kind, crd] of [
  ["Report", reportCrd()],
  ["Schedule", scheduleCrd()],
] as const) {
  describe(`The CRD of ${kind}`, () => {
    const root = (crd as { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } }).spec.versions[0]?.schema
      .openAPIV3Schema as Schema;
    const schemas = [...walk(root, kind)];

    it("describes every field", () => {
      const bare = schemas.filter(([path, schema]) => !path.endsWith("[]") && !schema.description);
      expect(bare.map(([path]) => path)).to.deep.equal([]);
    });

    it("gives every field a type", () => {
      expect(schemas.filter(([, schema]) => !schema.type).map(([path]) => path)).to.deep.equal([]);
    });

    it("bounds every string and list", () => {
      const unbounded = schemas.filter(
        ([, schema]) =>
          (schema.type === "string" && !schema.maxLength && !schema.enum && !schema.format && !schema.pattern) ||
          (schema.type === "array" && !schema.maxItems),
      );
      expect(unbounded.map(([path]) => path)).to.deep.equal([]);
    });

    it("has no additionalProperties, which structural schemas may not have beside properties", () => {
      expect(schemas.filter(([, schema]) => schema.additionalProperties !== undefined)).to.deep.equal([]);
    });
  });
}

describe("A list by kubectl", () => {
  const columns = (crd: unknown): string[] => {
    const [version] = (crd as { spec: { versions: { additionalPrinterColumns: Record<string, string>[] }[] } }).spec
      .versions;
    return (version?.additionalPrinterColumns ?? []).map(({ name, jsonPath }) => `${name}: ${jsonPath}`);
  };

  it("says of a Report and a Schedule what they are, by fields that they have", () => {
    expect(columns(scheduleCrd())).to.deep.equal([
      ...["URL: .spec.startingUrl", "Every: .spec.periodicity.every", "Active: .spec.active"],
      ...["Last run: .status.lastRunTime", "Next run: .status.nextRunTime", "Age: .metadata.creationTimestamp"],
    ]);
    expect(columns(reportCrd())).to.include.members(["URL: .spec.startingUrl", "Age: .metadata.creationTimestamp"]);
  });
});

describe("The CRD of Report", () => {
  it("makes every field of the spec immutable but shared, tags and cancelled", () => {
    const text = JSON.stringify(reportCrd());
    expect(text).to.include("self.startingUrl == oldSelf.startingUrl");
    expect(text).not.to.include("self.shared == oldSelf.shared");
    expect(text).not.to.include("self.tags == oldSelf.tags");
    expect(text).not.to.include("self.cancelled == oldSelf.cancelled");
  });

  it("keeps a report that is cancelled from going on", () => {
    expect(JSON.stringify(reportCrd())).to.include("self.cancelled || !oldSelf.cancelled");
  });

  it("has the field cancelled, which a Schedule has not", () => {
    expect(JSON.stringify(reportCrd())).to.include('"cancelled":');
    expect(JSON.stringify(scheduleCrd())).not.to.include('"cancelled":');
  });
});
