import type { Route } from "../context.ts";
import { errorCodes } from "./error-codes.ts";
import type { Examples } from "./examples.ts";
import {
  cursorLinks,
  cursorMeta,
  errorObject,
  jsonapi,
  pageLinks,
  pageMeta,
  runMeta,
  url,
} from "./response-schemas/envelope.ts";
import { members, type ResourceSchema, type Schema } from "./response-schemas/parts.ts";

const mediaTypes = ["application/vnd.api+json", "application/json"] as const;
const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });

/** Headers of responses, by name. */
export const responseHeaders = {
  "X-Request-Id": {
    required: true,
    description: "Identifies the request in the service's log: the client's own X-Request-Id, or a new one.",
    schema: { type: "string" },
  },
  "RateLimit-Limit": {
    description:
      "Calls per minute of the account, all its tokens and guests together; left out when there is no limit.",
    schema: { type: "integer", minimum: 1 },
  },
  "RateLimit-Remaining": { description: "Calls left in this minute.", schema: { type: "integer", minimum: 0 } },
  "RateLimit-Reset": { description: "Seconds until the limit resets.", schema: { type: "integer", minimum: 1 } },
  ETag: {
    required: true,
    description: "Identifies this version, for If-None-Match; weak (W/) when the response may be compressed.",
    schema: { type: "string", pattern: '^(W/)?"[^"]+"$' },
  },
  Location: {
    required: true,
    description: "The address of the created resource, or of what is being made.",
    schema: url,
  },
  "Retry-After": {
    required: true,
    description: "Seconds after which to try again.",
    schema: { type: "integer", minimum: 1 },
  },
  "WWW-Authenticate": { required: true, description: "How to authenticate.", schema: { type: "string" } },
  "Preference-Applied": { description: "The wait that was requested in Prefer.", schema: { type: "string" } },
  Allow: { required: true, description: "The methods that the address supports.", schema: { type: "string" } },
} as const;

const commonHeaders = {
  ...header("X-Request-Id"),
  ...header("RateLimit-Limit"),
  ...header("RateLimit-Remaining"),
  ...header("RateLimit-Reset"),
};

/** Headers of files that are the same for every client and may be cached. */
export const fileHeaders = { ...commonHeaders, ...header("ETag") };

const headersByStatus: Readonly<Record<string, object>> = {
  401: header("WWW-Authenticate"),
  405: header("Allow"),
  429: header("Retry-After"),
  503: header("Retry-After"),
};

/** `web_page` → `WebPage`. */
export function componentName(type: string): string {
  return type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A resource with exactly the members that it may have. */
export function resourceObject(
  type: string,
  { description, id, attributes, relationships: { always, optional = [] } }: ResourceSchema,
): Schema {
  const relationship = members({ links: members({ related: url }) });
  const names = [...always, ...optional];
  return members(
    {
      id,
      type: { type: "string", const: type },
      attributes,
      relationships: members(Object.fromEntries(names.map((name) => [name, relationship])), { optional }),
    },
    { description, optional: always.length === 0 ? ["relationships"] : [] },
  );
}

export function documentSchema(name: string): Schema {
  return members({ data: componentRef(name), jsonapi });
}

type ListSuccess = Extract<Route["success"], { kind: "list" }>;

export function listSchema(name: string, { paging, meta = {} }: ListSuccess): Schema {
  const data = { type: "array", items: componentRef(name), maxItems: 100 };
  const [links, about] = paging === "cursor" ? [cursorLinks, cursorMeta(meta)] : [pageLinks, pageMeta(meta)];
  return members({ data, links, meta: about, jsonapi });
}

/** The 2xx response of an operation, and 304 where it applies. */
export function successResponse(
  { method, success, headers: asked = [] }: Pick<Route, "method" | "success" | "headers">,
  links: object | undefined,
  example: unknown,
): Record<string, object> {
  switch (success.kind) {
    case "nothing":
      return { 204: { description: "Done; the response has no content.", headers: commonHeaders } };
    case "file":
      return {
        200: {
          description: success.description,
          headers: commonHeaders,
          content: Object.fromEntries([success.mediaType].flat().map((type) => [type, {}])),
        },
      };
    case "list":
      return {
        200: {
          description: "One page of the list.",
          headers: commonHeaders,
          content: content(componentRef(`${componentName(success.type)}List`), example),
        },
      };
    case "events":
      return {
        200: {
          description: "Events until the end of the report; reconnect if the stream closes earlier.",
          headers: commonHeaders,
          content: { "text/event-stream": { schema: streamedEvent } },
        },
        204: { description: "Last-Event-ID is the last event of the report.", headers: commonHeaders },
      };
    case "run":
      return { 202: { ...createdResponse("The report that was started or queued.", runSchema, example) } };
    case "created":
      return {
        201: {
          ...createdResponse("The created resource.", componentRef(`${componentName(success.type)}Document`), example),
          ...(links && { links }),
        },
      };
    case "one": {
      const versioned = method === "GET";
      const headers = { ...commonHeaders, ...(versioned && header("ETag")) };
      const waits = asked.includes("Prefer");
      const schema = componentRef(`${componentName(success.type)}Document`);
      const ok = {
        description: method === "GET" ? "The resource." : "The resource as it is now.",
        headers: { ...headers, ...(waits && header("Preference-Applied")) },
        content: content(schema, example),
      };
      const pending = "until" in success && {
        description: success.until,
        headers: { ...commonHeaders, ...header("Location"), ...header("Retry-After") },
        content: content(schema, undefined),
      };
      const known = { description: "The client has this version.", headers };
      return { 200: ok, ...(pending && { 202: pending }), ...(versioned && { 304: known }) };
    }
  }
}

/** One event: OpenAPI 3.1 can describe it only in the stream's schema. */
const streamedEvent = members(
  {
    event: { type: "string", enum: ["report", "end"] },
    data: {
      type: "string",
      contentMediaType: "application/json",
      description: "report: the report's document. end: reason, which is complete, failed or deleted.",
    },
    id: { type: "string", description: "The version, for Last-Event-ID." },
  },
  { description: "Each event of the stream.", optional: ["id"] },
);

const runSchema = members({ data: componentRef("Report"), meta: runMeta, jsonapi });

function createdResponse(description: string, schema: Schema, example: unknown): object {
  return { description, headers: { ...commonHeaders, ...header("Location") }, content: content(schema, example) };
}

/** A response for each error status. */
export function errorResponses(examples: Examples): Record<string, object> {
  return Object.fromEntries(
    Object.entries(errorCodes).map(([status, { description, codes }]) => [
      `Error${status}`,
      {
        description,
        headers: { ...commonHeaders, ...headersByStatus[status] },
        content: content(errorSchema(status, codes), examples.errors[status]),
      },
    ]),
  );
}

function errorSchema(status: string, codes: readonly string[]): Schema {
  return members({ errors: { type: "array", minItems: 1, items: errorObject(status, codes) }, jsonapi });
}

function content(schema: Schema, example: unknown): object {
  return Object.fromEntries(
    mediaTypes.map((type) => [
      type,
      { schema, ...(example !== undefined && { examples: { recorded: { value: example } } }) },
    ]),
  );
}

function componentRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
