import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { visible, withoutCommands } from "../messages/log-text.ts";
import type { Message } from "../messages/message.ts";
import { decodeForEdit, type EditableText } from "./encode.ts";
import { type CheckSource, fixSource, type MadeFix } from "./fix-source.ts";
import { rewriteFile } from "./rewrite-file.ts";

/** What was done to a file, or would be. */
export type FixedFile = {
  made: MadeFix[];
  /** What is left to mend; undefined where it was not checked. */
  messages?: readonly Message[];
  /** Why it was left alone, where there was something to change. */
  refused?: string;
  /** The changes as a unified diff; empty without any. */
  diff: string;
};

/**
 * Makes the changes of safe kinds in a file. All other bytes stay as they are.
 *
 * @param bytes of the file, which must still be these when it is written
 * @param options.dryRun nothing is written
 */
export async function fixFile(
  { file, bytes, contentType }: { file: string; bytes: Buffer; contentType: string },
  check: (text: Pick<EditableText, "source" | "encoding">, causes: "fixes" | false) => ReturnType<CheckSource>,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<FixedFile> {
  const text = decodeForEdit(bytes, contentType);
  if ("refused" in text) return { made: [], refused: text.refused, diff: "" };
  const { encoding } = text;
  const fixed = await fixSource(text.source, (source, causes) => check({ source, encoding }, causes));
  const { source, made, messages } = fixed;
  if (made.length === 0) return { made, messages, diff: "" };
  const written = text.encode(source);
  if (!written) return { made: [], refused: `the changed text cannot be written in ${encoding.name}`, diff: "" };
  const diff = unifiedDiff(file, text.source, source);
  if (dryRun) return { made, messages, diff };
  try {
    await rewriteFile(file, bytes, written);
  } catch (error) {
    return { made: [], refused: (error as Error).message, diff };
  }
  return { made, messages, diff };
}

/** As `git apply` reads it. What a terminal or a build server would obey is replaced: such a line does not apply. */
export function unifiedDiff(file: string, before: string, after: string): string {
  const name = visible(file);
  const [from, to] = file.startsWith("/") ? [name, name] : [`a/${name}`, `b/${name}`];
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, {
    ...{ context: 3, stripTrailingCr: false, headerOptions: FILE_HEADERS_ONLY },
  });
  return patch
    .split("\n")
    .map((line, index) => (index < 2 ? line.trimEnd() : harmless(line)))
    .join("\n");
}

function harmless(line: string): string {
  const [, sign = "", text = "", end = ""] = /^([ +\-@\\]?)(.*?)(\r?)$/s.exec(line) ?? [];
  return sign + withoutCommands(text.split("\t").map(visible).join("\t")) + end;
}
