import type { IssueDescription, StoredIssue } from "../manifest.ts";
import type { ValuesOf } from "../values.ts";

const attributes = {
  issue_type: { type: "string", enum: ["error", "warning"] },
  rule: { type: "string", description: "What is wrong, such as broken-link." },
  message: { type: "string", description: "Brief description, with the address and what it responded." },
  help_url: { type: ["string", "null"], description: "Always null: guide_url explains the rule." },
  tags: {
    type: "array",
    items: { type: "string" },
    description: "Categories to filter by: internal or external, and what the address is needed for, such as image.",
  },
} as const;

function attributesOf({ issue_type, rule, message, help_url, tags }: StoredIssue): ValuesOf<typeof attributes> {
  return { issue_type, rule: rule ?? "", message, help_url, tags };
}

export const issues = {
  attributes,
  attributesOf,
  text: "message",
  extract: "The element's start tag.",
  element: ["coordinates"],
  // An element that a script has made is nowhere in the source.
  optional: ["coordinates"],
  commonHasTimes: false,
} as const satisfies IssueDescription;
