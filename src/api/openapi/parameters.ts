import type { Schema } from "./response-schemas/parts.ts";

type Parameter = { name: string; in: string; description: string; schema: Schema } & Readonly<Record<string, unknown>>;

const uuid = { type: "string", format: "uuid" };
const numericId = { type: "string", pattern: "^[1-9][0-9]{0,17}$" };
/** PostgreSQL cannot store NUL. */
const text = { type: "string", pattern: "^[^\\u0000]*$" };
const secret = { type: "string", minLength: 1, maxLength: 200 };

/** The path parameters by name. */
export const pathParameters: Readonly<Record<string, { description: string; schema: Schema }>> = {
  report_id: { description: "The report's id.", schema: uuid },
  web_page_id: { description: "The web page's id.", schema: numericId },
  html_issue_id: { description: "The HTML issue's id.", schema: numericId },
  a11y_issue_id: { description: "The accessibility issue's id.", schema: numericId },
  common_html_issue_id: { description: "The common HTML issue's id.", schema: numericId },
  common_a11y_issue_id: { description: "The common accessibility issue's id.", schema: numericId },
  schedule_id: { description: "The schedule's id.", schema: uuid },
  device_id: { description: "The device's id.", schema: uuid },
  muting_id: { description: "The muting's id.", schema: numericId },
  guest_account_id: { description: "The guest token.", schema: secret },
  guest_token: { description: "The guest token of the invitation.", schema: secret },
  api_token_id: { description: "The token's id, not the token itself.", schema: uuid },
  basic_auth_id: { description: "The id of the stored credentials.", schema: uuid },
  secret: { description: "The hook's secret: the last part of deploy_hook_url.", schema: secret },
};

/** A query parameter. The operation decides where one name has several meanings. */
export function queryParameter(name: string, operationId: string, sortOrders: readonly string[]): Parameter {
  const { description, schema } = described(name, operationId, sortOrders);
  return { name, in: "query", description, schema };
}

function described(name: string, operationId: string, sortOrders: readonly string[]) {
  switch (name) {
    case "page[number]":
      return {
        description: "The number of the page.",
        schema: { type: "integer", minimum: 1, maximum: 1_000_000, default: 1 },
      };
    case "page[size]":
      return { description: "Entries per page.", schema: { type: "integer", minimum: 1, maximum: 100, default: 25 } };
    case "filter[url]":
      return {
        description: operationId === "listWebPages" ? "The URL contains this." : "The starting URL contains this.",
        schema: text,
      };
    case "base":
      return { description: "The id of another report to compare with.", schema: uuid };
    case "filter[schedule_id]":
      return { description: "Reports of this schedule.", schema: uuid };
    case "filter[message]":
      return { description: "The message contains this, regardless of case.", schema: text };
    case "filter[help]":
      return { description: "The help contains this, regardless of case.", schema: text };
    case "filter[muted]":
      return {
        description:
          operationId === "listWebPages"
            ? "true: pages with muted occurrences of the common issue, instead of the others. Give it only with one."
            : operationId.startsWith("getCommon")
              ? "true: how_many counts the muted occurrences, instead of the others, and web_pages lists their pages."
              : "true: the muted issues instead of the others.",
        schema: { type: "string", enum: ["true", "false"], default: "false" },
      };
    case "filter[common_html_issue_id]":
      return { description: "Pages that have this common HTML issue.", schema: numericId };
    case "filter[common_a11y_issue_id]":
      return { description: "Pages that have this common accessibility issue.", schema: numericId };
    case "filter[tags][mode]":
      return {
        description:
          "Whether any, all or none of the tags in filter[tags][list] must match; any, if it is left out. Give it only with a list.",
        schema: { type: "string", enum: ["any", "all", "none"] },
      };
    case "filter[tags][list]":
      return { description: "Comma-separated tags.", schema: { type: "string", pattern: "[^\\s,]" } };
    case "force":
      return {
        description: "true: also while they are in use. What uses them then gets 401 from its site, or fails.",
        schema: { type: "string", enum: ["true", "false"] },
      };
    case "created_by":
      return {
        description: "me: the account itself; guests: its guests; all: both. A guest always sees only its own.",
        schema: { type: "string", enum: ["me", "all", "guests"], default: "me" },
      };
    case "guest_token":
      return {
        description: "With created_by=guests: only the reports of these guests; comma-separated guest tokens.",
        schema: text,
      };
    case "sort":
      return {
        description:
          "The sort order. html_issues and a11y_issues sort by errors, then warnings; last_checked_at uses the creation time for reports that have not been checked yet. Ties are sorted by id.",
        schema: { type: "string", enum: sortOrders, default: "last_checked_at-desc" },
      };
    default:
      throw new Error(`The query parameter ${name} is not documented: src/api/openapi/parameters.ts.`);
  }
}

/** Request headers, by the name of their component. */
export const headerParameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes retries safe: for 24 hours, the same key and body give the same response. The same key with another body gives 422; a retry while the first request is still running gives 409.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "ETag of the version that the client has; 304 when it has not changed.",
    schema: { type: "string" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "wait=<seconds>, at most 60 (RFC 7240): the response waits for a version other than the one in If-None-Match, or for the end of the report. Preference-Applied confirms it.",
    schema: { type: "string", examples: ["wait=30"] },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event received.",
    schema: { type: "string" },
  },
} as const satisfies Readonly<Record<string, Parameter>>;
