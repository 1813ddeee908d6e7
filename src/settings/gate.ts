import { impacts } from "../checks/impacts.ts";
import { checkKinds, namesOf } from "../checks/kinds.ts";

const limit = { type: "integer", minimum: 0, maximum: 1_000_000_000 } as const;

/** A report passes when it meets every condition that is given. */
export const gateSchema = {
  type: "object",
  description:
    "The conditions that the report has to meet to pass. Muted findings do not count. Without conditions it is not judged.",
  additionalProperties: false,
  properties: {
    maxErrors: { ...limit, description: `Maximum number of errors, ${namesOf(checkKinds)} together.` },
    maxWarnings: { ...limit, description: `Maximum number of warnings, ${namesOf(checkKinds)} together.` },
    maxNewErrors: {
      ...limit,
      description:
        "Maximum number of new errors, compared with the report's base (baseId). Not judged when there is none.",
    },
    maxNewWarnings: {
      ...limit,
      description:
        "Maximum number of new warnings, compared with the report's base (baseId). Not judged when there is none.",
    },
    minImpact: {
      type: "string",
      enum: impacts,
      description:
        "Accessibility findings of a lower impact do not count. Requires performA11yChecks and one of the limits.",
    },
    failOnFailedPages: {
      type: "boolean",
      description:
        "Whether the report fails because of pages that could not be checked, or a crawl that was cut short.",
    },
    requireComplete: {
      type: "boolean",
      description:
        "Whether the report fails because something of the site was left out: a notice of its coverage is a gap.",
    },
  },
} as const;
