import { ACT_RULE_ID } from "../../../domain/findings/act-rules.ts";
import { standards } from "../../../domain/findings/standards.ts";
import { members, namesIn } from "./parts.ts";

/** The success criteria that an accessibility rule is about, and the standards that are not met because of it. */
export const standardAttributes = {
  success_criteria: {
    type: "array",
    items: members({
      number: { type: "string", pattern: "^[1-4]\\.[0-9]\\.[0-9]{1,2}$" },
      title: { type: "string" },
      level: { type: "string", enum: ["A", "AA", "AAA"] },
      since: { type: "string", enum: ["2.0", "2.1", "2.2"], description: "The first version of WCAG that has it." },
    }),
    description: "The success criteria of WCAG that it is about.",
  },
  act_rules: {
    type: "array",
    items: members({ id: { type: "string", pattern: `^${ACT_RULE_ID}$` }, url: { type: "string", format: "uri" } }),
    description: "The W3C's rules for testing conformance (ACT) that it implements, wholly or in part.",
  },
  standards: {
    type: "array",
    items: { type: "string", enum: namesIn(standards) },
    description: `The standards that it fails. ${Object.entries(standards)
      .map(([name, title]) => `${name}: ${title}`)
      .join("; ")}.`,
  },
} as const;
