import { manifestOf, namedByKind, nounOf } from "../../checks/kinds.ts";
import type { Schema } from "./response-schemas/parts.ts";

type Parameter = { name: string; in: string; description: string; schema: Schema } & Readonly<Record<string, unknown>>;

const uuid = { type: "string", format: "uuid" };
const numericId = { type: "string", pattern: "^[1-9][0-9]{0,17}$" };
const secret = { type: "string", minLength: 1, maxLength: 200 };

/** The path parameters by name. */
export const pathParameters: Readonly<Record<string, { description: string; schema: Schema }>> = {
  report_id: { description: "The report's id.", schema: uuid },
  cause_id: { description: "The cause's id.", schema: { type: "string", pattern: "^[0-9a-f]{20}$" } },
  web_page_id: { description: "The web page's id.", schema: numericId },
  ...namedByKind((kind) => [
    `${nounOf(kind)}_issue_id`,
    { description: `The ${manifestOf(kind).name} issue's id.`, schema: numericId },
  ]),
  ...namedByKind((kind) => [
    `common_${nounOf(kind)}_issue_id`,
    { description: `The common ${manifestOf(kind).name} issue's id.`, schema: numericId },
  ]),
  share_link_id: { description: "The share link's id, not its secret.", schema: uuid },
  share_secret: { description: "The secret of a share link.", schema: secret },
  step: { description: "The number of a step to sign in, from 1.", schema: { type: "integer", minimum: 1 } },
  picture_id: { description: "The picture's id.", schema: numericId },
  site_id: { description: "The site's id.", schema: { type: "string", pattern: "^[0-9a-f]{32}$" } },
  month: {
    description: "A month in UTC that has begun, such as 2026-11.",
    schema: { type: "string", pattern: "^2\\d{3}-(?:0[1-9]|1[0-2])$" },
  },
  criterion: {
    description: "The number of a success criterion.",
    schema: { type: "string", pattern: "^\\d\\.\\d\\.\\d{1,2}$" },
  },
  schedule_id: { description: "The schedule's id.", schema: uuid },
  badge: { description: "What it is about, and a signature.", schema: { type: "string", maxLength: 100 } },
  device_id: { description: "The device's id.", schema: uuid },
  muting_id: { description: "The muting's id.", schema: numericId },
  guest_account_id: { description: "The guest token.", schema: secret },
  guest_token: { description: "The guest token of the invitation.", schema: secret },
  api_token_id: { description: "The token's id, not the token itself.", schema: uuid },
  person_id: { description: "The person's id.", schema: uuid },
  team_id: { description: "The team's id.", schema: uuid },
  assignment_id: { description: "The id of what says who has something.", schema: uuid },
  session_id: { description: "The session's id, not its secret.", schema: uuid },
  basic_auth_id: { description: "The id of the stored credentials.", schema: uuid },
  receiver_id: { description: "The receiver's id.", schema: uuid },
  delivery_id: { description: "The delivery's id.", schema: uuid },
  pin_id: { description: "The id of the pinned report.", schema: uuid },
  deletion_id: { description: "The id of the deletion.", schema: uuid },
  audit_entry_id: { description: "The id of an entry of the audit log.", schema: numericId },
  secret: { description: "The hook's secret: the last part of deploy_hook_url.", schema: secret },
};

/** Request headers, by the name of their component. */
export const headerParameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes retries safe: for 24 hours, the same key, URL and body give the same response. The same key with another URL or body gives 422; a retry while the first request is still running gives 409.",
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
