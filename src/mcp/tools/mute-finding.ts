import type { FromSchema } from "json-schema-to-ts";
import type { One } from "../../api/documents.ts";
import { type MutingCategory, mutingCategories } from "../../schema/muting.ts";
import { answer } from "../answer.ts";
import type { Tool } from "../tool.ts";

const categories = Object.entries(mutingCategories)
  .map(([name, text]) => `${name}: ${text}`)
  .join(" ");

const input = {
  type: "object",
  additionalProperties: false,
  required: ["fingerprint", "category", "reason"],
  properties: {
    fingerprint: { type: "string", pattern: "^[0-9a-f]{20}$", description: "Of the finding, from list_findings." },
    category: { type: "string", enum: Object.keys(mutingCategories) as MutingCategory[], description: categories },
    reason: { type: "string", minLength: 1, maxLength: 1_000, description: "Why, in the person's words." },
    expires_at: { type: "string", maxLength: 40, description: "When it counts again: 2027-01-31T00:00:00Z." },
  },
} as const;

export const muteFinding: Tool = {
  name: "mute_finding",
  title: "Answer a review, or mute a finding",
  description:
    "Stores what a person has decided about one finding, so that it is not counted, in later reports neither. For findings that a person must review, and for those that stay. Only when the person has said so.",
  input,
  writes: true,
  isOffered: ({ keepsReports }) => keepsReports,
  asksSites: false,
  async run(attributes: FromSchema<typeof input>, { api }) {
    const { data } = await api.post<One<"muting">>("/mutings", attributes);
    return answer([`Muted: muting ${data.id}. Existing reports are counted again in the background.`], []);
  },
};
