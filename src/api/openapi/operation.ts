import type { AuditedOperation } from "../../domain/audit/entry.ts";
import type { SpecLimits } from "../../schema/validate.ts";
import type { ResourceType } from "./response-schemas/index.ts";
import type { Schema } from "./response-schemas/parts.ts";

/** The response of an operation that succeeds. */
export type Success =
  | { kind: "one" | "created"; type: ResourceType }
  /** One resource that may have to be made first: the response is 202 until it is there. */
  | { kind: "one"; type: ResourceType; until: string }
  | {
      kind: "list";
      type: ResourceType;
      /** A list with cursors has no page numbers. */
      paging?: "cursor";
      /** Members of `meta` besides the total and the page size. */
      meta?: Readonly<Record<string, Schema>>;
    }
  | { kind: "run" }
  | { kind: "events" }
  | { kind: "nothing" }
  | { kind: "file"; mediaType: string | readonly string[]; description: string };

/** A query parameter, with its name as clients write it: `filter[url]`. */
export type QueryParameter = { name: string; description: string; schema: Schema };

/** What the API's document says of a route, besides its method, its path and who may use it. */
export type Operation = {
  /** Unique, and stable: clients are generated from it. */
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** What the audit log says of it. Everything that changes something has this, and what is read only if that is noted, too. */
  audit?: AuditedOperation;
  success: Success;
  /** Any other query parameter is refused. */
  parameters?: readonly QueryParameter[];
  body?: {
    /** The resource type; another `data.type` is a conflict. */
    type: string;
    /** The schema of `data.attributes`, with the operator's maxima. */
    attributes: (limits: SpecLimits) => Schema;
  };
  /** Request headers that only some operations read. */
  headers?: readonly ("Prefer" | "LastEventId")[];
  /** Error statuses that follow neither from the method nor from the kind of access. */
  errors?: readonly (402 | 403 | 404 | 409 | 422)[];
};

/** The media types of a response that is not a JSON:API document: one, or those that a client can choose from. */
export function producedTypes({ success }: Pick<Operation, "success">): readonly string[] | undefined {
  if (success.kind === "events") return ["text/event-stream"];
  return success.kind === "file" ? [success.mediaType].flat() : undefined;
}

export const tags = {
  Reports: "One validation of a site: its definition, progress and counters.",
  "Web pages": "The pages of a report, what is stored about them, and the URLs that were left out.",
  Issues:
    "What was found: single findings, components (what can be fixed in one place), kinds of issues in a report, and the issues of a page with the affected elements.",
  Schedules: "Reports that run daily, weekly or monthly, or when a deploy hook is called.",
  Mutings: "Rules that silence issues.",
  Devices: "Viewports to emulate for the accessibility checks.",
  "Guest accounts": "Other people who use the account's credits, each with a monthly limit.",
  People: "Who signs in to the pages, and what they may do.",
  Access: "Tokens for this API, and stored credentials for the sites to check.",
  Notifications: "Who hears of what happens, by webhooks, in channels and by mail, and what became of each message.",
  Retention: "What is kept, and for how long; reports that stay in any case; many reports that are deleted at once.",
  "Audit log": "Who changed what, when and from where.",
  Usage: "Credits: each run of an engine on a page costs one.",
  Reference: "This document.",
} as const;
type Tag = keyof typeof tags;
