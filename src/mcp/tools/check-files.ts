import { pathToFileURL } from "node:url";
import type { FromSchema } from "json-schema-to-ts";
import { UsageError } from "../../domain/errors.ts";
import { plural } from "../../domain/plural.ts";
import { answer, fitting, shown, text } from "../answer.ts";
import type { Folders } from "../folders.ts";
import { from, type Tool, type ToolDeps } from "../tool.ts";
import { countsText, HOW_TO_FIX, type SourceResult, sourceResult } from "./causes-in-source.ts";

/** With more, nobody reads the answer, and the client does not wait for it. */
const MAX_FILES = 500;
/** As many files are checked at once. */
const AT_ONCE = 4;

type Checked = SourceResult & { file: string; fault?: string };

const input = {
  type: "object",
  additionalProperties: false,
  properties: {
    path: { type: "string", minLength: 1, maxLength: 4_096, default: ".", description: "A file or a folder." },
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
  async run({ path: given, from }: FromSchema<typeof input>, deps, signal) {
    const { folders } = deps;
    if (!folders) throw new UsageError("No folder may be read.");
    const files = await folders.list(given);
    if (files.length > MAX_FILES)
      throw new UsageError(
        `${JSON.stringify(given)} has ${plural(files.length, "file")}; at most ${MAX_FILES} are checked at once. Name a folder in it.`,
      );
    const results = await inTurn(files, (file) => check(file, folders, deps, signal));
    const causes = results.flatMap((result) => result.causes);
    causes.sort((a, b) => Number(a.severity !== "error") - Number(b.severity !== "error"));
    const failed = results.flatMap(({ file, fault }) => (fault === undefined ? [] : [{ file, fault: text(fault) }]));
    const all = [...failed, ...causes];
    const entries = fitting(all.slice(from - 1));
    const invalid = results.filter(({ errors }) => errors > 0).length;
    const sentences = [
      `${plural(files.length, "file")} checked, ${invalid} with errors. ${countsText(results)}`,
      ...(failed.length > 0 ? [`${plural(failed.length, "file")} could not be checked.`] : []),
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
    return { errors: 0, warnings: 0, causes: [], file: name, fault: error.message };
  }
}

/** The results in the order of what is worked on, a few at once. */
async function inTurn<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
