import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Log } from "sarif";

/** The pages of a folder that was served while it was checked, at an address that is gone now. */
export type ServedPages = {
  /** Scheme, host and port. */
  origin: string;
  /** The file of a page; undefined for one that is not there. */
  fileOf: (url: string) => string | undefined;
};

/** A page as it is shown: its file, or its path where there is none. */
export function placeIn({ origin, fileOf }: ServedPages): (url: string) => string {
  return (url) => fileOf(url) ?? (url.startsWith(`${origin}/`) ? url.slice(origin.length) : url);
}

/** A text that names pages, without the address: they are named by their paths. */
export function pathsIn({ origin }: ServedPages): (text: string) => string {
  return (text) => text.replaceAll(`${origin}/`, "/");
}

/** Text without the address, in pieces as they come: pages are named by their paths. */
export async function* withoutOrigin(text: AsyncIterable<string>, { origin }: ServedPages): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const all = (rest + piece).replaceAll(`${origin}/`, "/");
    // The address may go on in the next piece.
    const end = Math.max(0, all.length - origin.length);
    yield all.slice(0, end);
    rest = all.slice(end);
  }
  yield rest;
}

/** SARIF whose locations are files, so that a repository's lines are annotated. */
export async function* sarifOfFiles(text: AsyncIterable<string>, served: ServedPages): AsyncGenerator<string> {
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
  yield `${JSON.stringify(log).replaceAll(`${served.origin}/`, "/")}\n`;
}

/** A file below the working directory by its relative path, as repositories have it; another one by its whole path. */
function uriOf(file: string): string {
  const relative = path.relative("", file);
  if (relative.startsWith("..")) return pathToFileURL(file).href;
  return relative.split(path.sep).map(encodeURIComponent).join("/");
}
