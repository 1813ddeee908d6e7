import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { openApiDocument } from "../../src/api/openapi.ts";
import { referencePage } from "../../src/api/reference-page.ts";
import { asObject } from "../../src/api/reference-schema.ts";
import { routes } from "../../src/api/routes.ts";
import { createHtmlCheck } from "../../src/checker/engines/html-check.ts";
import type { SpecLimits } from "../../src/schema/validate.ts";
import { document, requireAsDocumented } from "../support/openapi.ts";

const limits: SpecLimits = { maxPages: 5_000, maxRateLimit: 25 };

type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  responses: Record<string, unknown>;
  requestBody?: { content: Record<string, Media> };
};
type Media = { schema?: object; examples?: { recorded: { value: unknown } } };

const operations = Object.values(document.paths).flatMap((item) =>
  Object.entries(item).flatMap(([method, operation]) => (method === "parameters" ? [] : [operation as Operation])),
);

/** Every media type of the document that has a schema and an example, by where it is. */
function examples(): [string, Media][] {
  const errors = Object.entries(asObject(asObject(document.components).responses));
  const bodies = operations.flatMap(({ operationId, requestBody, responses }) => [
    [`${operationId} request`, requestBody] as const,
    ...Object.entries(responses).map(([status, response]) => [`${operationId} ${status}`, response] as const),
  ]);
  return [...errors, ...bodies].flatMap(([where, holder]) =>
    Object.values(asObject(asObject(holder).content)).flatMap((media): [string, Media][] =>
      asObject(media).examples ? [[where, asObject(media)]] : [],
    ),
  );
}

describe("the OpenAPI document as such", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors, JSON.stringify(errors)).to.equal(undefined);
    expect(valid).to.equal(true);
    expect(validator.version).to.equal("3.1");
  });

  it("has a name of its own, a summary and a known tag for each operation", () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).to.equal(names.length);
    const known = document.tags.map(({ name }) => name);
    for (const { operationId, summary, tags } of operations) {
      expect(summary, operationId).to.match(/^[A-Z][^.]+$/);
      expect(known, operationId).to.include.members(tags);
    }
  });

  it("has examples that its schemas allow, for every operation with a document and every error", () => {
    const found = examples();
    for (const [where, { schema, examples }] of found) requireAsDocumented(schema, examples?.recorded.value, where);
    const without = operations.filter(
      ({ operationId }) => !found.some(([where]) => where.startsWith(`${operationId} `)),
    );
    const wordless = without.map(({ operationId }) => operationId).filter((name) => !name.startsWith("delete"));
    // Deletions have no document; neither have a picture, events, and the document itself.
    expect(wordless).to.have.members(["getScreenshot", "streamReportEvents", "getOpenApi", "getReferencePage"]);
    const statuses = Object.keys(asObject(asObject(document.components).responses));
    const errors = found.flatMap(([where]) => (where.startsWith("Error") ? [where] : []));
    expect(statuses.filter((status) => !errors.includes(status))).to.deep.equal(["Error500", "Error503"]);
  });

  it("shows the operator's own maxima", () => {
    const maximum = (own: SpecLimits) => {
      const schemas = asObject(asObject(openApiDocument(routes, own).components).schemas);
      const text = JSON.stringify(schemas.CreateReportRequest);
      return [...text.matchAll(/"(max_pages|rate_limit)":\{"type":"integer","minimum":(\d+),"maximum":(\d+)/g)].map(
        ([, name, least, most]) => `${name} ${least}–${most}`,
      );
    };
    expect(maximum({ maxPages: 70, maxRateLimit: 3 })).to.deep.equal(["max_pages 1–70", "rate_limit 1–3"]);
    expect(maximum({ maxPages: 0, maxRateLimit: 0 })).to.deep.equal(["max_pages 0–1000000", "rate_limit 0–10000"]);
  });

  it("does not describe an operation or parameter that nobody wrote about", () => {
    const route = { method: "GET", access: "account", handle: () => Promise.reject(new Error()) } as const;
    expect(() => openApiDocument([{ ...route, path: "/nothing" }], limits)).to.throw("GET /nothing is not documented");
    expect(() => openApiDocument([{ ...route, path: "/usage", parameters: ["filter[x]"] }], limits)).to.throw(
      "filter[x] is not documented",
    );
  });
});

describe("the reference page", () => {
  const page = referencePage(document);

  it("has every operation, status and resource, and needs no script", () => {
    for (const { operationId } of operations) expect(page).to.include(`id="${operationId}"`);
    expect(page).not.to.match(/<(script|link|img|iframe|form)\b|<\w+[^>]* (on\w+|src|style)=|javascript:/i);
  });

  it("has no HTML issue of our own finding", () => {
    expect(createHtmlCheck()("https://example.com/", page, false).issues).to.deep.equal([]);
  });

  it("shows text as text", () => {
    const hostile = structuredClone(document);
    hostile.info.title = `<b onclick="x">&'`;
    expect(referencePage(hostile)).to.include("&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;").and.not.to.include("<b ");
  });
});
