import { checkKinds, namesOf } from "../../checks/kinds.ts";
import type { SpecLimits } from "../../schema/validate.ts";
import type { Route } from "../context.ts";
import { acceptsKey } from "../http/request/idempotency.ts";
import { type Examples, recordedExamples } from "./examples.ts";
import { tags } from "./operation.ts";
import { headerParameters, pathParameters } from "./parameters.ts";
import { errorResponses, fileHeaders, responseHeaders, successResponse } from "./responses.ts";
import { componentSchemas, requestName } from "./schemas.ts";
import { webhooks } from "./webhooks.ts";

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
} & Record<string, unknown>;

type PathItem = Record<string, unknown>;

const bodyTypes = ["application/vnd.api+json", "application/json"] as const;

const DESCRIPTION = `Validates whole web sites: ${namesOf(checkKinds)}.

Responses are application/vnd.api+json, or application/json for clients that accept only that; request bodies may be either. HEAD is supported wherever GET is, OPTIONS everywhere; any other method gets 405 with an Allow header. Query parameters that are not described are refused with 400. Responses of 1 kB or more are compressed for clients that accept gzip. Timestamps are in UTC, without a time zone designator (2026-11-21T13:31:08): append a Z before parsing them, since many libraries take such a time for a local one. Exports have the Z. Requests for resources of another account get 404, as if the resources did not exist.`;

/**
 * The OpenAPI 3.1 document of the API, generated from its routes and schemas and from examples
 * that tests recorded.
 *
 * @throws Error for a parameter of a path without a description
 */
export function openApiDocument(
  routes: readonly Route[],
  limits: SpecLimits,
  examples: Examples = recordedExamples,
): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    const item = paths[path] ?? pathItem(route.path);
    paths[path] = item;
    item[route.method.toLowerCase()] = operationObject(route, routes, examples);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Site Validator",
      version: "1.0.0",
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    } as OpenApiDocument["info"],
    servers: [{ url: "/api/v1" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...ownPaths },
    webhooks,
    components: {
      schemas: componentSchemas(routes, limits),
      responses: errorResponses(examples),
      parameters: headerParameters,
      headers: responseHeaders,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A token of the account or of a guest. Its scope is read or write; only GET works with read.",
        },
      },
    },
  };
}

/** The paths of this document and its page, which reference.ts serves. */
const ownPaths: Record<string, PathItem> = Object.fromEntries(
  [
    {
      path: "/openapi.json",
      operationId: "getOpenApi",
      summary: "Get this document",
      content: { "application/json": { schema: { type: "object", required: ["openapi", "paths"] } } },
    },
    {
      path: "/docs",
      operationId: "getReferencePage",
      summary: "Get this document as a page",
      content: { "text/html": { schema: { type: "string" } } },
    },
  ].map(({ path, operationId, summary, content }) => {
    const headers = fileHeaders;
    const get = {
      operationId,
      tags: ["Reference"],
      summary,
      parameters: [{ $ref: "#/components/parameters/IfNoneMatch" }],
      responses: {
        200: { description: "The document.", headers, content },
        304: { description: "The client has this version.", headers },
        ...Object.fromEntries([429, 500, 503].map((status) => [String(status), errorRef(status)])),
      },
      security: [],
    };
    return [path, { get }];
  }),
);

function pathItem(path: string): PathItem {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => {
      const parameter = pathParameters[name];
      if (!parameter) throw new Error(`{${name}} of ${path} is not documented: src/api/openapi/parameters.ts.`);
      return { name, in: "path", required: true, ...parameter };
    }),
  };
}

function operationObject(route: Route, routes: readonly Route[], examples: Examples): object {
  const { id, tag, summary, description, body } = route;
  const parameters = parametersOf(route);
  const example = examples.operations[id];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(id, example?.request) }),
    responses: {
      ...successResponse(route, linkTo(route, routes), example?.response),
      ...Object.fromEntries(errorStatuses(route).map((status) => [String(status), errorRef(status)])),
    },
    security: security[route.access],
  };
}

const security = { account: [{ bearer: [] }], shared: [{ bearer: [] }, {}], public: [] } as const;

function errorRef(status: number): object {
  return { $ref: `#/components/responses/Error${status}` };
}

function errorStatuses(route: Route): number[] {
  const hasBody = route.body !== undefined;
  const statuses = [
    400,
    // A token with bounds may do other things, and not this; and nobody gives new things their ids.
    ...(route.access === "public" ? [] : [401, 403]),
    ...(hasBody && route.method === "POST" ? [403] : []),
    ...(route.path.includes(":") ? [404] : []),
    406,
    ...(hasBody || acceptsKey(route) ? [409] : []),
    ...(hasBody ? [413, 415, 422] : []),
    429,
    500,
    503,
    ...(route.errors ?? []),
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

function parametersOf(route: Route): object[] {
  const { method, success, parameters = [], headers = [] } = route;
  return [
    ...parameters.map(({ name, description, schema }) => ({ name, in: "query", description, schema })),
    ...(acceptsKey(route) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ...(method === "GET" && success.kind === "one" ? [{ $ref: "#/components/parameters/IfNoneMatch" }] : []),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function requestBody(operationId: string, example: unknown): object {
  const schema = { $ref: `#/components/schemas/${requestName(operationId)}` };
  const examples = example !== undefined && { examples: { recorded: { value: example } } };
  return { required: true, content: Object.fromEntries(bodyTypes.map((type) => [type, { schema, ...examples }])) };
}

/** The OpenAPI link from a POST to the GET of the resource that it creates. */
function linkTo({ method, path }: Route, routes: readonly Route[]): object | undefined {
  const one = routes.find(
    (other) =>
      other.method === "GET" && other.path.startsWith(`${path}/:`) && !other.path.slice(path.length + 2).includes("/"),
  );
  if (method !== "POST" || !one) return undefined;
  const parameter = one.path.slice(path.length + 2);
  return {
    [one.id]: {
      operationId: one.id,
      parameters: { [parameter]: "$response.body#/data/id" },
    },
  };
}
