import type { HtmlDocument } from "html-conformance/documents";
import { applied } from "html-conformance/edits";
import { createSourceLines, isNote, type Message } from "html-conformance/messages";
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
    const old = placed(document.source, before, (offset) => offset);
    const now = placed(copy.source, after, copy.offsetIn);
    const gone = countOf(minus(old, now));
    const added = minus(now, old);
    const isVerified = countOf(added) === 0 && gone > 0;
    const sentences = [
      isVerified
        ? `Verified: ${plural(gone, "error")} gone, none new.`
        : `Not verified: ${plural(gone, "error")} gone, ${plural(countOf(added), "error")} new.`,
      `${plural(countOf(now), "error")} left in all.`,
    ];
    const fresh = new Set(added.map(({ message }) => message));
    const { causes } = sourceResult(copy.source, after);
    const listed = isVerified
      ? causes
      : sourceResult(copy.source, after.filter((one) => fresh.has(one)).map(alone)).causes;
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

/** A message with the place in the original that it is about. */
type Placed = { key: string; message: Message };

function placed(source: string, messages: readonly Message[], offsetIn: (offset: number) => number): Placed[] {
  const lines = createSourceLines(source);
  return messages
    .filter((message) => !isNote(message))
    .map((message) => {
      const { firstLine = message.lastLine, firstColumn = message.lastColumn } = message;
      return { key: `${message.rule} ${offsetIn(lines.offsetOf(firstLine, firstColumn))}`, message };
    });
}

/** Those of the first that the second does not have as often. */
function minus(some: readonly Placed[], others: readonly Placed[]): Placed[] {
  const left = new Map<string, number>();
  for (const { key } of others) left.set(key, (left.get(key) ?? 0) + 1);
  return some.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

function countOf(some: readonly Placed[]): number {
  return some.filter(({ message }) => message.type === "error").length;
}

/** Of messages that are taken out of their list, none refers to another. */
function alone({ causedBy: _, ...message }: Message): Message {
  return message;
}
