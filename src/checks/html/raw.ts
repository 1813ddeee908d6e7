import type { Message } from "html-conformance/messages";
import type { RawDescription } from "../manifest.ts";

const count = { type: "integer", minimum: 0 } as const;
const place = { type: "integer", minimum: 1 } as const;

/** What of a message is no part of it yet: causes and fixes are not asked for. */
type Left = "meant" | "causedBy" | "fix";
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
} as const satisfies Record<Exclude<keyof Message, Left>, object>;

type Optional = "subType" | "firstLine";
const optional: readonly string[] = ["subType", "firstLine"] satisfies Optional[];

const messages = {
  type: "array",
  description: "html: the engine's messages, in the format of the Nu Html Checker.",
  items: {
    type: "object",
    required: Object.keys(messageProperties).filter((name) => !optional.includes(name)) as Exclude<
      keyof Message,
      Optional | Left
    >[],
    additionalProperties: false,
    properties: messageProperties,
  },
} as const;

export const raw = {
  description: "url, language and messages.",
  properties: {
    url: { type: "string", description: "The page's URL." },
    language: { type: "string", description: "html: the document's language; empty when it has none." },
    messages,
  },
} as const satisfies RawDescription;
