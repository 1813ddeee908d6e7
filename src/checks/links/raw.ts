import type { RawDescription } from "../manifest.ts";

export const raw = {
  description: "what the page needs, and what is known of each address.",
  properties: {
    references: {
      type: "array",
      items: { type: "object" },
      description: "links: the addresses that the page needs, each with what it is needed for and what was found out.",
    },
  },
} as const satisfies RawDescription;
