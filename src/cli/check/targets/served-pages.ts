import path from "node:path";
import { pathToFileURL } from "node:url";
import { logJson, visible } from "html-conformance/log-text";
import type { Log } from "sarif";
import { plural } from "../../../domain/plural.ts";

/** The pages of a folder that was served while it was checked; their address no longer exists. */
export type ServedPages = {
  /** Scheme, host and port. */
  origin: string;
  /** The file of a page; undefined for a page that does not exist. */
  fileOf: (url: string) => string | undefined;
  /** What was asked for and is not served. */
  leftOut: () => readonly LeftOut[];
};

/** A file that is not checked, because it is not of the folder. */
export type LeftOut = {
  /** Its path as in URLs. */
  url: string;
  file: string;
  /** What it is, such as "a symbolic link that leads out of the folder". */
  reason: string;
};

const MAX_LEFT_OUT_SAID = 10;

/** The sentences about files that are left out; "" for none. */
export function leftOutText(leftOut: readonly LeftOut[]): string {
  const lines = leftOut
    .slice(0, MAX_LEFT_OUT_SAID)
    .map(({ file, reason }) => `Left out: ${visible(file)} is ${reason}.`);
  const more = leftOut.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${plural(more, "more file")}`] : [])].join("\n");
}

/** How a page is shown: by its file or, if there is none, by its path. */
export function placeIn({ origin, fileOf }: Pick<ServedPages, "origin" | "fileOf">): (url: string) => string {
  return (url) => fileOf(url) ?? (url.startsWith(`${origin}/`) ? url.slice(origin.length) : url);
}

/** A text with pages' paths in place of their URLs. */
export function pathsIn({ origin }: Pick<ServedPages, "origin">): (text: string) => string {
  return (text) => text.replaceAll(`${origin}/`, "/");
}

/** The same for a text that arrives in pieces. */
export async function* withoutOrigin(
  text: AsyncIterable<string>,
  { origin }: Pick<ServedPages, "origin">,
): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const all = (rest + piece).replaceAll(`${origin}/`, "/");
    // The address may continue in the next piece.
    const end = Math.max(0, all.length - origin.length);
    yield all.slice(0, end);
    rest = all.slice(end);
  }
  yield rest;
}

/** Makes the locations in SARIF files, so that code scanning annotates the repository's lines. */
export async function* sarifOfFiles(
  text: AsyncIterable<string>,
  served: Pick<ServedPages, "origin" | "fileOf">,
): AsyncGenerator<string> {
  let all = "";
  for await (const piece of text) all += piece;
  const log = JSON.parse(all) as Log;
  for (const result of log.runs.flatMap(({ results = [] }) => results))
    for (const { physicalLocation } of result.locations ?? []) {
      const artifact = physicalLocation?.artifactLocation;
      if (artifact?.uri === undefined) continue;
      const file = served.fileOf(new URL(artifact.uri, `${served.origin}/`).href);
      if (file !== undefined) artifact.uri = uriOf(file);
    }
  yield `${logJson(JSON.stringify(log)).replaceAll(`${served.origin}/`, "/")}\n`;
}

/** The URI of a file: relative below the working directory, as in repositories, otherwise absolute. */
function uriOf(file: string): string {
  const relative = path.relative("", file);
  if (relative.startsWith("..")) return pathToFileURL(file).href;
  return relative.split(path.sep).map(encodeURIComponent).join("/");
}
