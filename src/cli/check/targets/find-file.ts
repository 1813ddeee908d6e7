import path from "node:path";
import { isHidden } from "../../../files/inside.ts";
import { type OpenedFile, openInside } from "../../../files/open-inside.ts";

/** What a URL of a served folder names. An open file must be closed. */
export type FoundFile =
  | ({ kind: "file"; file: string } & OpenedFile)
  | { kind: "folder" }
  | { kind: "left-out"; file: string; reason: string }
  | { kind: "unreadable"; code: string };

type Roots = {
  root: string;
  /** Its path without links. */
  real: string;
};

/**
 * Finds and opens the file of a URL.
 *
 * @param url its path below the folder, without a slash at the start
 * @returns undefined for what is not there or hidden, and for what no file can be named
 */
export async function findFile(url: string, roots: Roots): Promise<FoundFile | undefined> {
  const name = nameOf(url);
  if (name === undefined) return undefined;
  const isFolder = name === "" || name.endsWith("/");
  const found = await look(isFolder ? `${name}index.html` : name, roots);
  if (isFolder) return found?.kind === "folder" ? undefined : found;
  if (found || path.extname(name) !== "") return found;
  const page = await look(`${name}.html`, roots);
  return page?.kind === "folder" ? undefined : page;
}

async function look(name: string, { root, real }: Roots): Promise<FoundFile | undefined> {
  const file = path.join(root, name);
  try {
    const opened = await openInside(real, file);
    if (!opened) return undefined;
    if ("isFolder" in opened) return { kind: "folder" };
    if ("leftOut" in opened) return { kind: "left-out", file, reason: opened.leftOut };
    return { kind: "file", file, ...opened };
  } catch (error) {
    return { kind: "unreadable", code: (error as NodeJS.ErrnoException).code ?? String(error) };
  }
}

/** The name of a file in the folder; undefined for a URL that leads out of it, is malformed, or names hidden files. */
function nameOf(url: string): string | undefined {
  try {
    const name = decodeURIComponent(url.split("?")[0] ?? "").replaceAll("\\", "/");
    return isHidden(name) || name.includes("\0") ? undefined : name;
  } catch {
    return undefined;
  }
}
