import type { SpecLimits } from "../../schema/validate.ts";
import type { Route } from "../context.ts";
import { pollutingNames } from "../http/request/body.ts";
import { type ResourceType, resourceSchemas } from "./response-schemas/index.ts";
import { members, type ResourceSchema, type Schema } from "./response-schemas/parts.ts";
import { componentName, documentSchema, listSchema, resourceObject } from "./responses.ts";

/** The schemas of responses and requests that the document's operations refer to. */
export function componentSchemas(routes: readonly Route[], limits: SpecLimits): Record<string, Schema> {
  return { ...responseSchemas(routes), ...bodySchemas(routes, limits) };
}

/** `createReport` → `CreateReportRequest`. */
export function requestName(operationId: string): string {
  return `${componentName(operationId)}Request`;
}

/** The bodies of all requests, by the name of their component. */
function bodySchemas(routes: readonly Route[], limits: SpecLimits): Record<string, Schema> {
  return Object.fromEntries(
    routes.flatMap(({ id, method, body }) => (body ? [[requestName(id), bodySchema(method, body, limits)]] : [])),
  );
}

function bodySchema(method: Route["method"], body: NonNullable<Route["body"]>, limits: SpecLimits): Schema {
  const attributes = body.attributes(limits);
  const data = members(
    {
      type: { type: "string", const: body.type },
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

function responseSchemas(routes: readonly Route[]): Record<string, Schema> {
  const listed = new Map(routes.flatMap(({ success }) => (success.kind === "list" ? [[success.type, success]] : [])));
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
