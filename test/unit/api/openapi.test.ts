import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import type { Route } from "../../../src/api/context.ts";
import { openApiDocument } from "../../../src/api/openapi/document.ts";
import { referencePage } from "../../../src/api/openapi/reference-page.ts";
import { routes } from "../../../src/api/routes.ts";
import { createHtmlCheck } from "../../../src/checker/engines/html-validate/check.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import type { SpecLimits } from "../../../src/schema/validate.ts";
import { asObject } from "../../support/json-schema.ts";
import { document, holdAgainstDocument, requireAsDocumented } from "../../support/openapi.ts";

const limits: SpecLimits = { maxPages: 5_000, maxRateLimit: 25, htmlEngines };

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

  it("has a unique name, a summary and a known tag for each operation", () => {
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
    const wordless = without.map(({ operationId }) => operationId).filter((name) => !/^(delete|giveUp)/.test(name));
    // Deletions have no document; neither have a picture, a source, events, exports, and the document itself.
    const others = wordless.filter((name) => !/^export(Report|SiteStatement|AuditEntries)/.test(name));
    expect(others).to.have.members([
      "getElementPicture",
      "getScreenshot",
      "getSignInPicture",
      "getPageSource",
      "getBadge",
      "getMonthPdf",
      "streamReportEvents",
      "getOpenApi",
      "getReferencePage",
    ]);
    const statuses = Object.keys(asObject(asObject(document.components).responses));
    const errors = found.flatMap(([where]) => (where.startsWith("Error") ? [where] : []));
    expect(statuses.filter((status) => !errors.includes(status))).to.deep.equal(["Error500", "Error503"]);
  });

  it("has the operator's own maxima", () => {
    const maximum = (own: SpecLimits) => {
      const schemas = asObject(asObject(openApiDocument(routes, own).components).schemas);
      const text = JSON.stringify(schemas.CreateReportRequest);
      return [...text.matchAll(/"(max_pages|rate_limit)":\{"type":"integer","minimum":(\d+),"maximum":(\d+)/g)].map(
        ([, name, least, most]) => `${name} ${least}–${most}`,
      );
    };
    expect(maximum({ maxPages: 70, maxRateLimit: 3, htmlEngines })).to.deep.equal(["max_pages 1–70", "rate_limit 1–3"]);
    expect(maximum({ maxPages: 0, maxRateLimit: 0, htmlEngines })).to.deep.equal([
      "max_pages 0–1000000",
      "rate_limit 0–10000",
    ]);
  });

  it("cannot be created if a parameter in a path has no description", () => {
    const route = { ...routes[0], path: "/reports/:nothing" } as Route;
    expect(() => openApiDocument([route], limits)).to.throw("{nothing} of /reports/:nothing is not documented");
  });

  it("has each operation's name once", () => {
    const ids = routes.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).to.deep.equal([]);
  });
});

describe("comparing a response with the OpenAPI document", () => {
  const muting = {
    id: "7",
    type: "muting",
    attributes: {
      id: 7,
      url_match: "a",
      message: "b",
      ...{
        rule: null,
        selector: null,
        fingerprint: null,
        component: null,
        category: null,
        comment: null,
        reason: null,
        expires_at: null,
      },
      inserted_at: "2026-01-31T12:00:00",
      updated_at: "2026-01-31T12:00:00",
    },
  };
  const answer = {
    method: "GET",
    path: "/mutings/7",
    sent: undefined,
    sentHeaders: new Headers(),
    status: 200,
    headers: new Headers({ "content-type": "application/json", etag: '"1"', "x-request-id": "1" }),
    text: JSON.stringify({ data: muting, jsonapi: { version: "1.0" } }),
  };
  const withAttributes = (attributes: object) =>
    JSON.stringify({ data: { ...muting, attributes }, jsonapi: { version: "1.0" } });

  it("finds nothing in a documented one", () => {
    expect(holdAgainstDocument(answer)).to.equal("getMuting");
  });

  const wrong: [string, Partial<typeof answer>, string][] = [
    [
      "an attribute that is not documented",
      { text: withAttributes({ ...muting.attributes, colour: "red" }) },
      "additional",
    ],
    ["an attribute that is missing", { text: withAttributes({ id: 7 }) }, "required"],
    ["a value of another type", { text: withAttributes({ ...muting.attributes, id: "7" }) }, "integer"],
    ["a status that is not documented", { status: 202 }, "no such status"],
    [
      "an error with a code that is not documented",
      { status: 404, text: '{"errors":[{"code":"lost"}]}' },
      "documented|says",
    ],
    [
      "another media type",
      { headers: new Headers({ ...Object.fromEntries(answer.headers), "content-type": "text/html" }) },
      "no text/html",
    ],
    ["a header that is missing", { headers: new Headers({ "content-type": "application/json" }) }, "is missing"],
    ["a query parameter that is not documented", { path: "/mutings/7?colour=red" }, "no parameter colour"],
    ["a method that is not documented", { method: "PUT" }, "no such method"],
  ];
  for (const [what, change, message] of wrong)
    it(`finds ${what}`, () => {
      expect(() => holdAgainstDocument({ ...answer, ...change })).to.throw(new RegExp(message));
    });
});

describe("the reference page", () => {
  it("has no HTML issue of our own finding", () => {
    expect(createHtmlCheck()(referencePage).messages).to.deep.equal([]);
  });
});
