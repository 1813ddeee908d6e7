import type { Message } from "html-conformance/messages";
import { checkKinds } from "../../../domain/findings/findings.ts";
import { count, members, numericId, type ResourceSchema, type Schema } from "./parts.ts";

const place = { type: "integer", minimum: 1 } as const;

/** Every member of a message: this does not compile until a new member is described, too. */
const messageProperties = {
  type: { type: "string", enum: ["error", "info"] },
  subType: { type: "string", enum: ["warning"], description: "Only for info: most likely not intended." },
  rule: {
    type: "string",
    description: "The engine's name for the rule, as the issue_sub_type of issues; empty if it names none.",
  },
  section: { type: "string", description: "The URL of the standard's section; empty if the engine names none." },
  message: { type: "string" },
  extract: { type: "string", description: "The source around it." },
  firstLine: { ...place, description: "Left out if it equals lastLine." },
  lastLine: place,
  firstColumn: place,
  lastColumn: { ...place, description: "Of the last character itself." },
  hiliteStart: { ...count, description: "Where in extract it begins." },
  hiliteLength: count,
} as const satisfies Record<keyof Message, Schema>;

const messages = {
  type: "array",
  description: "html: the engine's messages, in the format of the Nu Html Checker.",
  items: members(messageProperties, {
    optional: ["subType", "firstLine"],
  }),
} as const;

const results = (description: string) => ({ type: "array", items: { type: "object" }, description }) as const;

export const rawCheck = {
  description: "An engine's unprocessed output for one page.",
  id: numericId,
  attributes: members({
    kind: { type: "string", enum: checkKinds },
    raw: {
      type: "object",
      description: "html: url, language and messages. a11y: axe-core's results object.",
      properties: {
        url: { type: "string", description: "The page's URL." },
        language: { type: "string", description: "html: the document's language; empty when it has none." },
        messages,
        violations: results("a11y: what is wrong."),
        incomplete: results("a11y: what a person must review."),
        passes: results("a11y: what is right."),
      },
    },
  }),
  relationships: { always: ["web_page"] },
} as const satisfies ResourceSchema;
