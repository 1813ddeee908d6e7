import type { SpecLimits } from "../../schema/validate.ts";
import type { Route } from "../context.ts";
import { pollutingNames } from "../http/request/body.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { requestSchemas } from "./request-schemas.ts";
import { type ResourceType, resourceSchemas } from "./response-schemas/index.ts";
import { members, type ResourceSchema, type Schema } from "./response-schemas/parts.ts";
import { componentName, documentSchema, listSchema, resourceObject } from "./responses.ts";

/** The schemas of responses and requests that the document's operations refer to. */
export function componentSchemas(routes: readonly Route[], limits: SpecLimits): Record<string, Schema> {
  return { ...responseSchemas(), ...bodySchemas(routes, limits) };
}

/** A route's operation. @throws Error for a route without a description */
export function operationOf({ method, path }: Pick<Route, "method" | "path">): Operation {
  const operation = operations[`${method} ${path}`];
  if (operation) return operation;
  throw new Error(`${method} ${path} is not documented: src/api/openapi/operations.ts.`);
}

/** `createReport` → `CreateReportRequest`. */
export function requestName(operationId: string): string {
  return `${componentName(operationId)}Request`;
}

/** The bodies of all requests, by the name of their component. */
function bodySchemas(routes: readonly Route[], limits: SpecLimits): Record<string, Schema> {
  const requests = requestSchemas(limits);
  return Object.fromEntries(
    routes
      .filter(({ bodyType }) => bodyType !== undefined)
      .map((route) => {
        const { id } = operationOf(route);
        const attributes = requests[id];
        if (!attributes) throw new Error(`The body of ${id} is not described: src/api/openapi/request-schemas.ts.`);
        return [requestName(id), bodySchema(route, attributes)];
      }),
  );
}

function bodySchema({ method, bodyType }: Route, attributes: Schema): Schema {
  const data = members(
    {
      type: { type: "string", const: bodyType },
      ...(method === "PATCH" && { id: { type: "string", description: "If given, the id in the address." } }),
      attributes,
    },
    { optional: ["type", "id", ...("required" in attributes || "minProperties" in attributes ? [] : ["attributes"])] },
  );
  return {
    type: "object",
    description: "Members other than data are ignored.",
    required: ["data"],
    properties: { data },
    propertyNames: { not: { enum: pollutingNames } },
  };
}

function responseSchemas(): Record<string, Schema> {
  const listed = new Map(
    Object.values(operations).flatMap(({ success }) => (success.kind === "list" ? [[success.type, success]] : [])),
  );
  const described: [string, ResourceSchema][] = Object.entries(resourceSchemas);
  const all = described.flatMap(([type, resource]): [string, Schema][] => {
    const name = componentName(type);
    const withRest: [string, Schema][] = [
      [name, resourceObject(type, resource)],
      [`${name}Document`, documentSchema(name)],
    ];
    const list = listed.get(type as ResourceType);
    return list ? [...withRest, [`${name}List`, listSchema(name, list)]] : withRest;
  });
  return Object.fromEntries(all);
}
