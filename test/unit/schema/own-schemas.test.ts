import { Ajv } from "ajv";
import { expect } from "chai";
import * as attributes from "../../../src/api/request-attributes.ts";
import * as report from "../../../src/schema/report.ts";
import * as schedule from "../../../src/schema/schedule.ts";
import * as status from "../../../src/schema/status.ts";

const schemas = Object.entries({ ...attributes, ...report, ...schedule, ...status }).filter(([name]) =>
  name.endsWith("Schema"),
);

describe("each schema that is compiled without its meta-schema is valid", () => {
  for (const [name, schema] of schemas)
    it(name, () => {
      const ajv = new Ajv();
      expect(ajv.validateSchema(schema as object), ajv.errorsText()).to.equal(true);
    });

  it("and one that is not would be found", () => {
    expect(new Ajv({ logger: false }).validateSchema({ type: "text" })).to.equal(false);
    expect(schemas.length).to.be.at.least(12);
  });
});
