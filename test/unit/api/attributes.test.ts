import { expect } from "chai";
import type { Context } from "../../../src/api/context.ts";
import { requestAttributes, responseAttributes } from "../../../src/api/openapi/attributes.ts";
import { recordedExamples } from "../../../src/api/openapi/examples.ts";
import {
  apiTokenSchema,
  basicAuthSchema,
  guestAccountSchema,
  invitationSchema,
} from "../../../src/api/request-attributes.ts";
import { reportDocument } from "../../../src/api/resources/reports/report-document.ts";
import { scheduleDocument } from "../../../src/api/resources/schedules/schedule-document.ts";
import { specAttributes } from "../../../src/api/resources/spec-attributes.ts";
import type { ReportRow } from "../../../src/database/reports/read-reports.ts";
import type { ScheduleRow } from "../../../src/database/schedules/schedules.ts";
import { noCounts } from "../../../src/domain/findings/check-counts.ts";
import { accessOf, listFormats, snakeCase } from "../../../src/schema/api-names.ts";
import { reportCrd, scheduleCrd } from "../../../src/schema/crd.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import { mutingSchema } from "../../../src/schema/muting.ts";
import { reportSpecSchema } from "../../../src/schema/report.ts";
import { scheduleSpecSchema } from "../../../src/schema/schedule.ts";
import { rows } from "../../../src/settings/index.ts";
import { asObject } from "../../support/json-schema.ts";
import { document } from "../../support/openapi.ts";

type Json = Record<string, unknown>;

const limits = { maxPages: 0, maxRateLimit: 0, htmlEngines };
const schemas = asObject(asObject(document.components).schemas);
const context = { base: "https://validator.example.com/api/v1", caller: null } as unknown as Context;
const now = new Date("2026-01-31T12:00:00Z");

/** What is found by following the names from object to object. */
function at(root: unknown, ...names: (string | number)[]): Json {
  return asObject(names.reduce<unknown>((value, name) => asObject(value)[name], root));
}

/** Every field with a value of its own, so that two of them cannot be mixed up. */
function distinctSpec(fields: Json): Json {
  const others = Object.keys(fields).map((name) => [name, `the value of ${name}`]);
  return { ...Object.fromEntries(others), performHtmlChecks: true, periodicity: { every: "day" } };
}

function crdFields(crd: unknown): Json {
  return at(crd, "spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec", "properties");
}

function isAllowed(name: string, what: "create" | "read"): boolean {
  return accessOf(name)?.[what] !== false;
}

/** Types of a schema, without null. */
function typesOf(schema: Json): unknown[] {
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf.map(asObject) : [schema];
  return alternatives.flatMap(({ type }) => type).filter((type) => type !== "null");
}

const reportSpec = distinctSpec(reportSpecSchema.properties);
const scheduleSpec = distinctSpec(scheduleSpecSchema.properties);
const times = { inserted_at: now, updated_at: now };
const reportRow = {
  ...times,
  spec: reportSpec,
  last_checked_at: null,
  failure_code: null,
  guest_token: null,
  end: null,
  changes: [],
  sign_in_pictures: [],
};
const report = {
  ...reportRow,
  starting_url: reportSpec.startingUrl,
  shared: reportSpec.shared,
  tags: reportSpec.tags,
  counts: noCounts(),
  end: null,
};
const scheduleRow = { ...times, spec: scheduleSpec, next_run_at: null, last_run_at: null, active: scheduleSpec.active };
const schedule = { ...scheduleRow, starting_url: scheduleSpec.startingUrl, tags: scheduleSpec.tags };

const resources = [
  {
    kind: "Report",
    fields: asObject(reportSpecSchema.properties),
    crd: reportCrd(),
    spec: reportSpec,
    document: reportDocument(context, report as unknown as ReportRow, true).attributes,
    example: recordedExamples.operations.getReport,
  },
  {
    kind: "Schedule",
    fields: asObject(scheduleSpecSchema.properties),
    crd: scheduleCrd(),
    spec: scheduleSpec,
    document: scheduleDocument(context, { row: schedule as unknown as ScheduleRow, badgeUrl: null, hookUrl: null })
      .attributes,
    example: recordedExamples.operations.getSchedule,
  },
];

for (const { kind, fields, crd, spec, document, example } of resources)
  describe(`every field of a ${kind}`, () => {
    const request = at(schemas, `Create${kind}Request`, "properties", "data", "properties", "attributes", "properties");
    const response = at(schemas, kind, "properties", "attributes", "properties");
    const fieldsOfRequest = Object.keys(fields).filter((name) => isAllowed(name, "create"));
    const fieldsOfResponse = Object.keys(fields).filter((name) => isAllowed(name, "read"));

    const fieldsOfBoth = fieldsOfResponse.filter((name) => fieldsOfRequest.includes(name));

    it("is in the CRD with the same type and description", () => {
      for (const [name, schema] of Object.entries(fields)) {
        const { type, description } = at(crdFields(crd), name);
        expect({ type, description }, name).to.deep.include({
          type: asObject(schema).type,
          description: asObject(schema).description,
        });
      }
    });

    it("is in the request, and in the response with the same description unless it is write-only", () => {
      expect(Object.keys(request)).to.have.members(fieldsOfRequest.map(snakeCase));
      expect(Object.keys(response)).to.include.members(fieldsOfResponse.map(snakeCase));
      for (const name of fieldsOfBoth.map(snakeCase))
        expect(String(at(request, name).description), name).to.satisfy((text: string) =>
          text.startsWith(String(at(response, name).description)),
        );
      const hidden = rows.filter(({ name }) => !isAllowed(name, "read")).map(({ name }) => snakeCase(name));
      expect(Object.keys(response).filter((name) => hidden.includes(name))).to.deep.equal([]);
    });

    it("has the same type in the response and in the request, where a list of texts may be a string, too", () => {
      for (const name of fieldsOfResponse) {
        const own = [asObject(fields[name]).type];
        expect(typesOf(at(response, snakeCase(name))), name).to.deep.equal(own);
        if (!fieldsOfBoth.includes(name)) continue;
        const requested = listFormats[name] ? ["string", "array"] : own;
        expect(typesOf(at(request, snakeCase(name))), name).to.deep.equal(requested);
      }
    });

    it("is in a response's document, with its value", () => {
      for (const name of fieldsOfResponse) expect(asObject(document)[snakeCase(name)], name).to.deep.equal(spec[name]);
    });

    it("stands in the same place as in the recorded example", () => {
      const recorded = at(example?.response, "data", "attributes");
      expect(Object.keys(document)).to.deep.equal(Object.keys(recorded));
    });
  });

describe("a field that is added to a schema", () => {
  const added = { type: "boolean", default: false, description: "Follow newField after startingUrl." };
  const fields = { ...reportSpecSchema.properties, newField: added };

  it("is in requests, responses and documents without further code", () => {
    const description = "Follow new_field after starting_url.";
    const requested = (defaults: boolean) => requestAttributes(fields, limits, { defaults }).new_field;
    expect(requested(true)).to.deep.equal({ type: "boolean", description: `${description} Default: false.` });
    expect(requested(false)).to.deep.equal({ type: "boolean", description });
    expect(responseAttributes(fields).new_field).to.deep.equal({ type: "boolean", description });
    const spec = { ...reportSpec, newField: true };
    expect(specAttributes({ properties: fields } as never, spec as never)).to.include({ new_field: true });
  });
});

describe("an attribute that can be set and read", () => {
  const inResponse = (type: string) => at(schemas, type, "properties", "attributes", "properties");
  const invited = asObject((inResponse("GuestAccount").guest as { anyOf?: unknown[] }).anyOf?.[0]).properties;
  for (const [what, schema, response] of [
    ["a muting", mutingSchema, inResponse("Muting")],
    ["a guest account", guestAccountSchema, inResponse("GuestAccount")],
    ["a guest", invitationSchema, asObject(invited)],
    ["an API token", apiTokenSchema, inResponse("ApiToken")],
    ["stored credentials", basicAuthSchema, inResponse("BasicAuth")],
  ] as const)
    it(`has the same type and description in requests and responses: ${what}`, () => {
      for (const [name, field] of Object.entries(schema.properties)) {
        if (name === "password") continue;
        expect(at(response, name).description, name).to.equal(asObject(field).description);
        expect(typesOf(at(response, name)), name).to.deep.equal(typesOf(asObject(field)));
      }
    });
});
