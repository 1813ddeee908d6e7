import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { UsageError } from "../../../domain/errors.ts";
import { isInside } from "../../../files/inside.ts";
import { readRegularFile, requireRegular } from "../../../files/read-regular-file.ts";
import { reportSpecSchema } from "../../../schema/report.ts";

const { startingUrl, initialUrls } = reportSpecSchema.properties;
/** A sitemap has at most 50 MB (https://www.sitemaps.org/protocol.html). */
const MAX_LIST_BYTES = 50_000_000;

/** What files of this machine list besides where the crawl begins, and what could not be read of them. */
export type Listed = { urls: string[]; problems: (ListedProblem & { file: string })[] };
type ListedProblem = { code: string; howMany: number; detail: string };

/** Where a crawl begins: URLs, or a page (as in URLs) of a folder that has to be served. */
export type Targets = { urls: string[]; listed: Listed } | { folder: string; page: string };

/** Reads the URLs of a list. @returns undefined when the text is not a list of URLs */
export type ReadList = (
  text: string,
) => Promise<{ urls: readonly string[]; problems: readonly ListedProblem[] } | undefined>;

/**
 * Finds out what was named: URLs, or a folder, a page, a sitemap or a text list of this machine.
 *
 * @throws UsageError that says what was received, and what is allowed
 */
export async function resolveTargets(targets: readonly string[], readList: ReadList): Promise<Targets> {
  const urls: string[] = [];
  const listed: Listed = { urls: [], problems: [] };
  for (const target of targets) {
    if (isUrl(target)) {
      urls.push(checkUrl(target));
      continue;
    }
    const kind = await stat(target).catch(() => undefined);
    if (!kind) throw notFound(target);
    if (kind.isDirectory() || /\.x?html?$/i.test(target)) {
      if (targets.length > 1)
        throw new UsageError(`${JSON.stringify(target)} is served as a site of its own: name it alone.`);
      if (!kind.isDirectory()) {
        await requireInFolder(target);
        return { folder: path.dirname(target), page: encodeURIComponent(path.basename(target)) };
      }
      await requireIndex(target);
      return { folder: target, page: "" };
    }
    const list = await readFileOf(target, readList);
    for (const url of list.urls) (urls.length === 0 ? urls : listed.urls).push(url);
    listed.problems.push(...list.problems);
  }
  requireOneSite(urls, listed.urls);
  return { urls, listed };
}

/** @throws UsageError for a folder without a page to begin with */
async function requireIndex(folder: string): Promise<void> {
  const index = await stat(path.join(folder, "index.html")).catch(() => undefined);
  if (index?.isFile()) return requireInFolder(path.join(folder, "index.html"));
  const received = JSON.stringify(folder);
  throw new UsageError(`${received} has no index.html, where the check would begin. Name one of its pages instead.`);
}

/** @throws UsageError for a page that would be left out: it is no file, or a link out of its folder */
async function requireInFolder(page: string): Promise<void> {
  try {
    requireRegular(await stat(page));
  } catch (error) {
    throw unreadable(JSON.stringify(page), error as Error);
  }
  const [folder, real] = await Promise.all([path.dirname(page), page].map((one) => realpath(one)));
  if (isInside(folder ?? "", real ?? "")) return;
  throw new UsageError(
    `${JSON.stringify(page)} is a symbolic link that leads out of its folder, to ${JSON.stringify(real)}. Name that file instead.`,
  );
}

function isUrl(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(target);
}

async function readFileOf(file: string, readList: ReadList): Promise<Listed> {
  const received = JSON.stringify(file);
  const bytes = await readRegularFile(file).catch((error: Error) => {
    throw unreadable(received, error);
  });
  const text = (isGzip(bytes) ? unpacked(bytes, received) : bytes).toString("utf8");
  const list = await readList(text);
  const { problems = [] } = list ?? {};
  // Others are among the problems.
  const urls = list?.urls.filter((url) => /^https?:/i.test(url)) ?? [];
  const why = problems.map(({ detail }) => ` ${detail}`).join("");
  if (urls.length === 0)
    throw new UsageError(`${received} is neither a page (.html) nor a sitemap or text list with URLs.${why}`);
  return { urls: urls.map((url) => checkUrl(url)), problems: problems.map((one) => ({ ...one, file })) };
}

function unreadable(received: string, { message }: Error): UsageError {
  return new UsageError(`${received} cannot be read: ${message}.`);
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unpacked(bytes: Buffer, received: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_LIST_BYTES });
  } catch (error) {
    throw new UsageError(`${received} cannot be unpacked: ${(error as Error).message}.`);
  }
}

/** A report covers one site: pages of others would be left out silently. */
function requireOneSite(urls: readonly string[], listed: readonly string[]): void {
  const [first = "", ...others] = urls;
  const { host } = new URL(first);
  const isElsewhere = (url: string) => new URL(url).host !== host;
  const other = others.find(isElsewhere) ?? listed.find(isElsewhere);
  if (other !== undefined)
    throw new UsageError(
      `${JSON.stringify(first)} and ${JSON.stringify(other)} are not of the same site. Check each site by itself.`,
    );
  if (others.length > initialUrls.maxItems)
    throw new UsageError(`${urls.length} URLs are given; at most ${initialUrls.maxItems + 1} are allowed.`);
}

/** @throws UsageError when this URL is not valid for a report */
export function checkUrl(url: string): string {
  if (new RegExp(startingUrl.pattern).test(url) && URL.canParse(url)) {
    if (url.length <= startingUrl.maxLength) return url;
    throw new UsageError(`<target> has ${url.length} characters; at most ${startingUrl.maxLength} are allowed.`);
  }
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && (address.username || address.password))
    throw new UsageError("<target> contains a user name or password; URLs with credentials are not accepted.");
  throw new UsageError(
    `<target> is ${JSON.stringify(url)}; a URL must start with http:// or https:// and name a host.`,
  );
}

function notFound(target: string): UsageError {
  const guess = `https://${target}`;
  const isHost = /^[^\s/:]+\.[^\s/:]+(:\d+)?(\/\S*)?$/.test(target) && URL.canParse(guess);
  const hint = isHost ? ` Did you mean ${guess}?` : "";
  return new UsageError(
    `<target> is ${JSON.stringify(target)}; it must be a URL that starts with http:// or https://, or a folder or file that exists.${hint}`,
  );
}
