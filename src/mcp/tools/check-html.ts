import type { FromSchema } from "json-schema-to-ts";
import { answer, fitting, shown } from "../answer.ts";
import { from, type Tool } from "../tool.ts";
import { countsText, HOW_TO_FIX, sourceResult } from "./causes-in-source.ts";

export const source = {
  type: "string",
  maxLength: 1_000_000,
  description: "The whole text of a document.",
} as const;
export const contentType = {
  type: "string",
  enum: ["text/html", "application/xhtml+xml", "image/svg+xml"],
  default: "text/html",
  description: "What the document is.",
} as const;

const input = {
  type: "object",
  additionalProperties: false,
  required: ["source"],
  properties: { source, content_type: contentType, from },
} as const;

export const checkHtml: Tool = {
  name: "check_html",
  title: "Check a source",
  description:
    "Checks the text of an HTML, XHTML or SVG document against the standard. Answers with its mistakes, each once and the worst first, with verified fixes.",
  input,
  writes: false,
  asksSites: false,
  async run({ source, content_type, from }: FromSchema<typeof input>, { checkHtml }, signal) {
    const messages = await checkHtml({ source, contentType: content_type, url: "about:blank" }, signal);
    const result = sourceResult(source, messages);
    const entries = fitting(result.causes.slice(from - 1));
    const more = shown(from, entries.length, result.causes.length, "check_html");
    return answer([countsText([result]), ...more], entries, entries.length > 0 ? [HOW_TO_FIX] : []);
  },
};
