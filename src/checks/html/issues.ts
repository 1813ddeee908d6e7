import type { IssueDescription, StoredIssue } from "../manifest.ts";
import type { ValuesOf } from "../values.ts";

const attributes = {
  issue_type: { type: "string", enum: ["error", "warning"] },
  issue_sub_type: { type: ["string", "null"], description: "The engine's name for the rule." },
  rule: { type: ["string", "null"], description: "The same; null if the engine names none." },
  message: { type: "string", description: "Brief description." },
  help_url: {
    type: ["string", "null"],
    description: "The section of the standard that it is about; null if the engine names none.",
  },
  tags: { type: "array", items: { type: "string" }, description: "Categories to filter by." },
} as const;

function attributesOf({ issue_type, rule, message, help_url, tags }: StoredIssue): ValuesOf<typeof attributes> {
  return { issue_type, issue_sub_type: rule, rule, message, help_url, tags };
}

export const issues = {
  attributes,
  attributesOf,
  text: "message",
  extract: "The source around it.",
  element: ["coordinates", "caused_by", "fix"],
  optional: ["caused_by", "fix"],
  commonHasTimes: false,
} as const satisfies IssueDescription;
