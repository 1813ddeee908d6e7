import { checkKinds, kindsThat, namesOf } from "../../../checks/kinds.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { roles } from "../../../domain/findings/role.ts";
import type { QueryParameter } from "../../openapi/operation.ts";
import type { Schema } from "../../openapi/response-schemas/parts.ts";
import { DEFAULT_SIZE, MAX_NUMBER, MAX_SIZE, sortOrders } from "./query.ts";

/** The query parameters that several operations have. Those of one operation stand beside it. */

const uuid = { type: "string", format: "uuid" };
const numericId = { type: "string", pattern: "^[1-9][0-9]{0,17}$" };
const cursor = { type: "string", pattern: "^[A-Za-z0-9_-]+$" };

function parameter(name: string, description: string, schema: Schema): QueryParameter {
  return { name, description, schema };
}

/** Any text. PostgreSQL cannot store NUL. */
export function textParameter(name: string, description: string): QueryParameter {
  return parameter(name, description, { type: "string", pattern: "^[^\\u0000]*$" });
}

export function choiceParameter(
  name: string,
  description: string,
  values: readonly string[],
  fallback?: string,
): QueryParameter {
  return parameter(name, description, {
    type: "string",
    enum: values,
    ...(fallback !== undefined && { default: fallback }),
  });
}

export function uuidParameter(name: string, description: string): QueryParameter {
  return parameter(name, description, uuid);
}

/** A time as responses have it, in UTC, or a day. */
export function timeParameter(name: string, description: string): QueryParameter {
  const pattern = "^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2})?$";
  return parameter(name, `${description} In UTC: 2026-11-24T11:47:00, or 2026-11-24.`, { type: "string", pattern });
}

export function idParameter(name: string, description: string): QueryParameter {
  return parameter(name, description, numericId);
}

/** A number of hexadecimal digits. */
export function digestParameter(name: string, description: string, digits: number): QueryParameter {
  return parameter(name, description, { type: "string", pattern: `^[0-9a-f]{${digits}}$` });
}

const pageSize = parameter("page[size]", "Entries per page.", {
  type: "integer",
  minimum: 1,
  maximum: MAX_SIZE,
  default: DEFAULT_SIZE,
});

/** The parameters of every list. */
export const pageParameters = [
  parameter("page[number]", "The number of the page.", {
    type: "integer",
    minimum: 1,
    maximum: MAX_NUMBER,
    default: 1,
  }),
  pageSize,
];

/** The parameters of lists with cursors, which may be long, and may change while they are read. */
export const cursorParameters = [
  parameter("page[after]", "Where the page begins; copy it from links.next of the page before it.", cursor),
  pageSize,
];

export const tagParameters = [
  choiceParameter(
    "filter[tags][mode]",
    "Whether any, all or none of the tags in filter[tags][list] must match; by default, any. Allowed only with filter[tags][list].",
    ["any", "all", "none"],
  ),
  parameter("filter[tags][list]", "Comma-separated tags.", { type: "string", pattern: "[^\\s,]" }),
];

export const ruleParameter = textParameter("filter[rule]", "The engine's name for the rule, exactly.");

export const kindParameter = choiceParameter("filter[kind]", "Findings of this kind of check.", checkKinds);

export const impactParameter = choiceParameter(
  "filter[impact]",
  `The severity. Findings of ${namesOf(kindsThat(({ hasImpact }) => !hasImpact))} have none.`,
  impacts,
);

export const issueTypes = ["error", "warning"] as const;
export const issueTypeParameter = choiceParameter(
  "filter[issue_type]",
  "Errors or warnings; what a person must review is a warning.",
  issueTypes,
);

export function outsideParameter(description: string, fallback?: "false"): QueryParameter {
  return choiceParameter("filter[outside_standard]", description, ["true", "false"], fallback);
}

export const roleParameter = choiceParameter(
  "filter[role]",
  "Findings with this role; of common issues: those with an element of it.",
  Object.keys(roles),
);

export const baseParameter = uuidParameter("base", "The id of another report to compare with.");

export const startingUrlParameter = textParameter("filter[url]", "The starting URL contains this.");

export function stateParameter(description: string, states: readonly string[]): QueryParameter {
  return choiceParameter("filter[state]", description, states);
}

/** By a state that a report's own findings can have. */
export function ownStateParameter(what: string): QueryParameter {
  return stateParameter(`${what}, compared with the report before it.`, ownStates);
}

/** @param what what a folder selects: `Pages` */
export function pathParameter(what: string): QueryParameter {
  return parameter(
    "filter[path]",
    `${what} in this folder and those in it, such as /products/. / alone is the pages that are in no folder.`,
    { type: "string", pattern: "^/([^/\\\\?#\\u0000][^\\\\?#\\u0000]*/)?$" },
  );
}

/** What the description of a list with `mutedParameter` says. */
export const MUTED_LEFT_OUT = "Muted issues are left out unless filter[muted] is true.";

/** @param meaning what `true` means */
export function mutedParameter(meaning = "true: muted entries instead of the others."): QueryParameter {
  return choiceParameter("filter[muted]", meaning, ["true", "false"], "false");
}

/** @param fallback the order without it, where that is one of these */
export function sortParameter(description: string, keys: readonly string[], fallback?: string): QueryParameter {
  return choiceParameter("sort", description, Object.keys(sortOrders(keys)), fallback);
}
