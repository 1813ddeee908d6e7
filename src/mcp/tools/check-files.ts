import { pathToFileURL } from "node:url";
import type { FromSchema } from "json-schema-to-ts";
import { UsageError } from "../../domain/errors.ts";
import { plural } from "../../domain/plural.ts";
import { answer, fitting, shown, text } from "../answer.ts";
import type { Folders } from "../folders.ts";
import { from, type Tool, type ToolDeps } from "../tool.ts";
import { countsText, HOW_TO_FIX, type SourceResult, sourceResult } from "./causes-in-source.ts";

/** With more, nobody reads the answer. */
const MAX_FILES = 500;
/** As many files are checked at once. */
const AT_ONCE = 4;

const NOTHING: SourceResult = { errors: 0, warnings: 0, causes: [] };

type Checked = SourceResult & { file: string; fault?: string };

const input = {
  type: "object",
  additionalProperties: false,
  properties: {
    path: { type: "string", minLength: 1, maxLength: 4_096, default: ".", description: "A file or a folder." },
    skip: { type: "integer", minimum: 0, default: 0, description: "Leaves out as many files of a folder." },
    from,
  },
} as const;

export const checkFiles: Tool = {
  name: "check_files",
  title: "Check a file or a folder",
  description:
    "Checks an HTML, XHTML or SVG file, or all of a folder, as check_html does. Only files in the folders that its user has allowed; nothing is changed.",
  input,
  isOffered: ({ folders }) => folders !== undefined,
  writes: false,
  asksSites: false,
  async run({ path: given, skip, from }: FromSchema<typeof input>, deps, signal) {
    const { folders } = deps;
    if (!folders) throw new UsageError("No folder may be read.");
    const files = await folders.list(given);
    if (files.length > MAX_FILES)
      throw new UsageError(
        `${JSON.stringify(given)} has ${plural(files.length, "file")}; at most ${MAX_FILES} are checked at once. Name a folder in it.`,
      );
    const chosen = files.slice(skip);
    const checked = await inTime(chosen, deps.limitMs, signal, (file, until) => check(file, folders, deps, until));
    const [first] = chosen;
    // What takes all of the time is given up, so that the next call comes to the others.
    const results =
      checked.length > 0 || first === undefined
        ? checked
        : [{ ...NOTHING, file: text(folders.nameOf(first)) ?? "", fault: "It takes too long to check." }];
    const causes = results.flatMap((result) => result.causes);
    causes.sort((a, b) => Number(a.severity !== "error") - Number(b.severity !== "error"));
    const failed = results.flatMap(({ file, fault }) => (fault === undefined ? [] : [{ file, fault: text(fault) }]));
    const all = [...failed, ...causes];
    const entries = fitting(all.slice(from - 1));
    const invalid = results.filter(({ errors }) => errors > 0).length;
    const done = skip + results.length;
    const sentences = [
      `${plural(results.length, "file")} checked, ${invalid} with errors. ${countsText(results)}`,
      ...(failed.length > 0 ? [`${plural(failed.length, "file")} could not be checked.`] : []),
      ...(done < files.length
        ? [
            `The time was over: of ${plural(files.length, "file")} the first ${done} are done. For the others, call check_files with skip: ${done}.`,
          ]
        : []),
      ...shown(from, entries.length, all.length, "check_files"),
    ];
    return answer(sentences, entries, entries.length > 0 ? [HOW_TO_FIX] : []);
  },
};

async function check(
  file: string,
  folders: Folders,
  { checkHtml }: Pick<ToolDeps, "checkHtml">,
  signal: AbortSignal,
): Promise<Checked> {
  const name = text(folders.nameOf(file)) ?? "";
  try {
    const document = await folders.read(file);
    const messages = await checkHtml({ ...document, url: pathToFileURL(file).href }, signal);
    return { ...sourceResult(document.source, messages, { file: name }), file: name };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...NOTHING, file: name, fault: error.message };
  }
}

/**
 * Checks files, a few at once, until the time is over.
 *
 * @returns the results of the first files, as many as were checked without a gap
 */
async function inTime(
  files: readonly string[],
  limitMs: number,
  signal: AbortSignal,
  work: (file: string, until: AbortSignal) => Promise<Checked>,
): Promise<Checked[]> {
  const over = AbortSignal.timeout(limitMs);
  const until = AbortSignal.any([signal, over]);
  const results: (Checked | undefined)[] = files.map(() => undefined);
  const rest = files.entries();
  const worker = async () => {
    for (const [index, file] of rest) {
      signal.throwIfAborted();
      if (over.aborted) return;
      results[index] = await work(file, until).catch((error: unknown) => {
        signal.throwIfAborted();
        if (over.aborted) return undefined;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const gap = results.indexOf(undefined);
  return results.slice(0, gap < 0 ? results.length : gap) as Checked[];
}
