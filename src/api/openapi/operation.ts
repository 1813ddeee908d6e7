import type { ResourceType } from "./response-schemas/index.ts";

/** The response of an operation that succeeds. */
export type Success =
  | { kind: "one" | "list" | "created"; type: ResourceType }
  | { kind: "run" }
  | { kind: "events" }
  | { kind: "nothing" }
  | { kind: "file"; mediaType: string; description: string };

/** What cannot be read from a route: names, words, and statuses of its own. */
export type Operation = {
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  success: Success;
  /** Request headers that no other operation looks at. */
  headers?: readonly ("Prefer" | "LastEventId")[];
  /** Error statuses that follow neither from the method nor from the way in. */
  errors?: readonly (402 | 403 | 404 | 409)[];
};

export const tags = {
  Reports: "One validation of a site: its definition, progress and counters.",
  "Web pages": "The pages of a report, what is stored of them, and the URLs that were left out.",
  Issues: "What was found: by kind over a report, and by page with the affected elements.",
  Schedules: "Reports that run by themselves: by day, week or month, or when a deploy hook is called.",
  Mutings: "Rules that silence issues.",
  Devices: "Viewports to emulate for the accessibility checks.",
  "Guest accounts": "Others who use the account's credits, with a limit a month each.",
  Access: "Tokens for this API, and stored credentials for the sites to check.",
  Usage: "Credits: each engine run on a page costs one.",
  Reference: "This document.",
} as const;
type Tag = keyof typeof tags;
