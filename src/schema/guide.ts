import type { FromSchema } from "json-schema-to-ts";
import { checkKinds, type Manifests, manifestOf } from "../checks/kinds.ts";

type EngineName = Manifests[keyof Manifests]["engines"][number];

/** The front matter of a guide. */
export const guideSchema = {
  type: "object",
  additionalProperties: false,
  required: ["rule", "engine", "title"],
  properties: {
    rule: {
      type: "string",
      pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*(?:/[a-z0-9]+(?:-[a-z0-9]+)*)?$",
      description:
        "The engine's name for the rule, or only the part before the slash, for all rules that begin with it.",
    },
    engine: {
      type: "string",
      enum: checkKinds.flatMap((kind) => manifestOf(kind).engines) as EngineName[],
      description: "The engine that has the rule.",
    },
    title: { type: "string", minLength: 5, maxLength: 90, description: "What is wrong, in a few words." },
    named: {
      type: "string",
      pattern: "\\{thing\\}",
      maxLength: 90,
      description:
        "The title with a place for what it is about, as in `{thing} has no text alternative`; titles of causes have it.",
    },
    section: {
      type: "string",
      pattern: "^https://[^\\s]+$",
      description: "The part of the standard, or of an accepted guideline, that the rule is about.",
    },
    criteria: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "string", pattern: "^[1-4]\\.[0-9]\\.[0-9]{1,2}$" },
      description: "The success criteria of WCAG 2.2 that the rule is about, by number.",
    },
    act: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "string", pattern: "^[a-zA-Z0-9]{6}$" },
      description: "The ids of the W3C's ACT rules that the rule implements, wholly or in part.",
    },
  },
  anyOf: [{ required: ["section"] }, { required: ["criteria"] }],
} as const;

export type GuideFrontMatter = FromSchema<typeof guideSchema>;
