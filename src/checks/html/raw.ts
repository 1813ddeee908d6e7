import type { Message } from "html-conformance/messages";
import type { RawDescription } from "../manifest.ts";

const count = { type: "integer", minimum: 0 } as const;
const place = { type: "integer", minimum: 1 } as const;

const kinds = [
  "attribute",
  "comment",
  "doctype",
  "end tag",
  "quote",
  "reference",
  "start tag",
  "tag",
] as const satisfies NonNullable<Message["fix"]>["kind"][];

/** What a message has for the search of fixes only. */
type Left = "meant";
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
  causedBy: {
    ...count,
    description: "Only for what follows from another mistake: the index in messages of the one that says the mistake.",
  },
  fix: {
    type: "object",
    description: "Only for a mistake that others follow from: a change that was tried in a copy of the source.",
    required: ["kind", "title", "edits", "removes"],
    additionalProperties: false,
    properties: {
      kind: { type: "string", enum: kinds, description: "What is missing, superfluous or mistaken." },
      title: { type: "string", description: 'What is done: insert " at 12:34.' },
      edits: {
        type: "array",
        items: {
          type: "object",
          required: ["start", "end", "startLine", "startColumn", "endLine", "endColumn", "text"],
          additionalProperties: false,
          properties: {
            start: { ...count, description: "An offset in the source, in UTF-16 code units." },
            end: { ...count, description: "Behind the last character that is replaced; start, if none is." },
            startLine: place,
            startColumn: place,
            endLine: place,
            endColumn: { ...place, description: "Behind the last character that is replaced." },
            text: { type: "string", description: "What is put there." },
          },
        },
      },
      removes: { ...count, description: "How many messages are gone with it." },
    },
  },
} as const satisfies Record<Exclude<keyof Message, Left>, object>;

type Optional = "subType" | "firstLine" | "causedBy" | "fix";
const optional: readonly string[] = ["subType", "firstLine", "causedBy", "fix"] satisfies Optional[];

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
