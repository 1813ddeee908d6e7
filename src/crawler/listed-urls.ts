import { readFile } from "node:fs/promises";
import type { Frontier } from "./frontier.ts";
import { discover, notice } from "./frontier.ts";
import type { ListProblem } from "./url-list.ts";

/**
 * URLs of lists on this machine, which `check` hands to its crawler in a file: a report holds at most 1,001, because every
 * response about it contains them.
 */
export type ListedUrls = {
  urls: readonly string[];
  /** What could not be read of the lists. */
  problems: readonly (ListProblem & { file: string })[];
};

const NONE: ListedUrls = { urls: [], problems: [] };

/** @param file JSON; undefined for no lists */
export async function readListedUrls(file: string | undefined): Promise<ListedUrls> {
  return file === undefined ? NONE : (JSON.parse(await readFile(file, "utf8")) as ListedUrls);
}

/** Visits them like initial URLs, and says what is missing. */
export function discoverListed(frontier: Frontier, { urls, problems }: ListedUrls): void {
  for (const url of urls) discover(frontier, url, 0, null);
  for (const { code, file, detail, howMany } of problems) notice(frontier, code, file, detail, howMany);
}
