import { impacts } from "../impacts.ts";
import type { IssueDescription, StoredIssue } from "../manifest.ts";
import type { ValuesOf } from "../values.ts";

const attributes = {
  rule: { type: "string", description: "axe-core's name for the rule, such as image-alt." },
  help: { type: "string", description: "Brief description by the engine." },
  help_url: { type: "string", description: "Where the engine explains the issue and how to fix it." },
  impact: { type: "string", enum: impacts, description: "How severe it is." },
  impact_order: { type: "integer", minimum: 1, maximum: impacts.length, description: "minor 1 … critical 4." },
  review: { type: "boolean", description: "true for an incomplete result, which a person must review." },
  outside_standard: {
    type: "boolean",
    description:
      "true for a rule that is not of the report's standard: it counts neither as an error nor as a warning.",
  },
  tags: { type: "array", items: { type: "string" }, description: "Categories to filter by, such as wcag2aa." },
} as const;

/** An issue that only counts what is not listed has no impact. */
function attributesOf(issue: StoredIssue): ValuesOf<typeof attributes> {
  const { rule, message, help_url, impact_order, issue_type, outside_standard, tags } = issue;
  const order = impact_order ?? 1;
  return {
    rule: rule ?? "",
    help: message,
    help_url: help_url ?? "",
    impact: impacts[order - 1] ?? "minor",
    impact_order: order,
    review: issue_type === "warning",
    outside_standard,
    tags,
  };
}

export const issues = {
  attributes,
  attributesOf,
  text: "help",
  extract: "The element's source.",
  element: ["target", "failure_summary", "box", "contrast"],
  commonHasTimes: true,
} as const satisfies IssueDescription;
