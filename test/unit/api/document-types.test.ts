import { expect } from "chai";
import type { Attributes, List, One, Resource } from "../../../src/api/documents.ts";
import { resourceSchemas } from "../../../src/api/openapi/response-schemas/index.ts";

/*
 * `npm run types` checks this file: it fails where a line below `@ts-expect-error` compiles, so where a type is wider
 * than its schema.
 */

const link = { links: { related: "https://validator.example.com/api/v1/reports/1" } };
const attributes: Attributes<"excluded_url"> = {
  url: "https://example.com/",
  linked_from: null,
  num_linked_from: 0,
  linked_from_pages: [],
  reason: "off_site",
  inserted_at: "2026-01-31T12:00:00",
};
const excluded: Resource<"excluded_url"> = {
  id: "1",
  type: "excluded_url",
  attributes,
  relationships: { report: link },
};

describe("the types of documents", () => {
  it("refuse a document without an attribute that its schema requires", () => {
    const { reason, ...rest } = attributes;
    // @ts-expect-error reason is missing
    const refused: Attributes<"excluded_url"> = rest;
    expect(resourceSchemas.excluded_url.attributes.required).to.include("reason");
    expect(refused).to.not.have.property("reason", reason);
  });

  it("refuse an attribute of another name, type or value, and null where the schema has none", () => {
    // @ts-expect-error the schema has no title
    expect({ ...attributes, title: "" } satisfies Attributes<"excluded_url">).to.have.property("title");
    // @ts-expect-error url is a string
    expect({ ...attributes, url: null } satisfies Attributes<"excluded_url">).to.have.property("url", null);
    // @ts-expect-error no such reason
    expect({ ...attributes, reason: "bored" } satisfies Attributes<"excluded_url">).to.include({ reason: "bored" });
  });

  it("leave out only what the schema does not require", () => {
    const { required } = resourceSchemas.report.attributes;
    const guest: Pick<Attributes<"report">, "guest_token" | "basic_auth_id" | "changes"> = {};
    expect(required).to.not.include.members(["guest_token", "basic_auth_id", "changes"]);
    // @ts-expect-error phase is required
    expect({} satisfies Pick<Attributes<"report">, "phase">).to.deep.equal(guest);
    expect(required).to.include("phase");
  });

  it("refuse a resource of another type, or without a link that it always has", () => {
    // @ts-expect-error an excluded URL is no web page
    expect({ data: excluded, jsonapi: { version: "1.0" } } satisfies One<"web_page">).to.have.property("data");
    // @ts-expect-error the report's link is missing
    expect({ ...excluded, relationships: {} } satisfies Resource<"excluded_url">).to.have.property("relationships");
  });

  it("name the fields of a spec as the API does", () => {
    const gate: Attributes<"report">["gate"] = { max_errors: 0 };
    // @ts-expect-error the resource's name, not the API's
    expect({ maxErrors: 0 } satisfies typeof gate).to.not.deep.equal(gate);
  });

  it("know what only one list has in its meta", () => {
    type Meta<Type extends "component" | "web_page"> = List<Type>["meta"];
    const meta: Meta<"component"> = { total: 1, page_size: 25, how_many: 3, largest: [{ components: 1, how_many: 3 }] };
    // @ts-expect-error a list of pages has no sum of elements
    expect(meta satisfies Meta<"web_page"> & { how_many?: never }).to.have.property("how_many");
  });

  it("are only types: pages and the command line load no code of the API with them", async () => {
    expect(Object.keys(await import("../../../src/api/documents.ts"))).to.deep.equal([]);
  });
});
