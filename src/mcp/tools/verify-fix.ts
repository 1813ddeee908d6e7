import type { HtmlDocument } from "html-conformance/documents";
import { applied } from "html-conformance/edits";
import { errorsByPlace, LIKELY_MISTAKE, type Message, moreThan } from "html-conformance/messages";
import type { FromSchema } from "json-schema-to-ts";
import { UsageError } from "../../domain/errors.ts";
import { plural } from "../../domain/plural.ts";
import { answer, fitting } from "../answer.ts";
import { editsOf } from "../text-edits.ts";
import type { Tool, ToolDeps } from "../tool.ts";
import { sourceResult } from "./causes-in-source.ts";
import { contentType, source } from "./check-html.ts";

const edit = {
  type: "object",
  additionalProperties: false,
  required: ["line", "column", "old", "new"],
  properties: {
    line: { type: "integer", minimum: 1 },
    column: { type: "integer", minimum: 1, description: "From 1, in UTF-16 units." },
    old: { type: "string", maxLength: 100_000, description: "What stands there; empty to insert." },
    new: { type: "string", maxLength: 100_000, description: "What is put in its place." },
  },
} as const;

const input = {
  type: "object",
  additionalProperties: false,
  required: ["edits"],
  properties: {
    source: { ...source, description: "The whole text of a document; or path." },
    path: { type: "string", minLength: 1, maxLength: 4_096, description: "A file, where files may be read." },
    content_type: contentType,
    edits: { type: "array", minItems: 1, maxItems: 200, items: edit, description: "As check_html has them in a fix." },
  },
} as const;

export const verifyFix: Tool = {
  name: "verify_fix",
  title: "Try a fix",
  description:
    "Makes edits in a copy of a source or of a file, and checks the copy: says which errors are gone and which are new. Nothing is written.",
  input,
  writes: false,
  asksSites: false,
  async run({ source, path, content_type, edits }: FromSchema<typeof input>, deps, signal) {
    const document = await documentOf({ source, path, content_type }, deps);
    const own = editsOf(document.source, edits);
    const copy = applied(document.source, own);
    const before = await deps.checkHtml(document, signal);
    const after = await deps.checkHtml({ ...document, source: copy.source }, signal);
    const old = errorsByPlace(document.source, said(before));
    const now = errorsByPlace(copy.source, said(after), copy.offsetIn);
    const gone = [...moreThan(old, now).values()].flat().length;
    const added = new Set([...moreThan(now, old).values()].flat());
    const isVerified = added.size === 0 && gone > 0;
    const sentences = [
      isVerified
        ? `Verified: ${plural(gone, "error")} gone, none new.`
        : `Not verified: ${plural(gone, "error")} gone, ${plural(added.size, "error")} new.`,
      `${plural([...now.values()].flat().length, "error")} left in all.`,
    ];
    const { causes } = sourceResult(copy.source, after);
    const listed = isVerified
      ? causes
      : sourceResult(copy.source, after.filter((one) => added.has(one)).map(alone)).causes;
    const entries = fitting(listed);
    if (entries.length === 0) return answer(sentences, []);
    return answer([...sentences, isVerified ? "What is left, in the copy:" : "What is new, in the copy:"], entries);
  },
};

async function documentOf(
  { source, path, content_type }: { source?: string; path?: string; content_type: string },
  { folders }: ToolDeps,
): Promise<HtmlDocument> {
  if ((source === undefined) === (path === undefined)) throw new UsageError("Give either source or path.");
  if (source !== undefined) return { source, contentType: content_type, url: "about:blank" };
  if (!folders) throw new UsageError("No files may be read here: give source in place of path.");
  return { ...(await folders.read(path ?? "")), url: "about:blank" };
}

/** What was found: not what only sums up what follows from a mistake. */
function said(messages: readonly Message[]): Message[] {
  return messages.filter(({ rule }) => rule !== LIKELY_MISTAKE);
}

/** Of messages that are taken out of their list, none refers to another. */
function alone({ causedBy: _, ...message }: Message): Message {
  return message;
}
