import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import markdownIt from "markdown-it";
import { referencePage } from "../../src/api/openapi/reference-page.ts";
import { readGuides } from "../../src/files/read-guides.ts";
import { assets } from "../../src/web/assets.ts";
import { htmlPage } from "../../src/web/layout.ts";
import type { PageRoute, View } from "../../src/web/page.ts";
import { guidePage } from "../../src/web/pages/guide.ts";
import { guidesPage } from "../../src/web/pages/guides.ts";

/** A page that somebody wrote for people, not for a test. */
export type RealPage = { name: string; source: string };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Where Debian and its kin keep manuals. */
const MANUALS = "/usr/share/doc";
const MAX_LENGTH = 40_000;

/** Pages of each kind, of which more are not read. */
const most = { readmes: 60, guides: 10, manuals: 20 };

/**
 * Pages that every checkout has after `npm ci`: those of packages, the READMEs of packages as a site would show them,
 * with the HTML that is in them, and our own. And pages of manuals, where there are any: of this machine, or of the
 * folder that the variable REAL_PAGES names.
 */
export async function realPages(): Promise<RealPage[]> {
  const readmes = await read(find("node_modules/{*,@*/*}/README.md"), isMarkedUp);
  return inTurn([
    await read(find("node_modules/**/*.html")),
    evenly(readmes, most.readmes).map(({ name, source }) => ({ name, source: rendered(name, source) })),
    evenly(await read(globSync(`${process.env.REAL_PAGES || MANUALS}/**/*.html`).toSorted()), most.manuals),
    await ownPages(),
  ]);
}

/** The first of each kind, then the second of each: whoever takes a few has some of all. */
function inTurn(kinds: readonly RealPage[][]): RealPage[] {
  const longest = Math.max(...kinds.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => kinds.map((pages) => pages[index]))
    .flat()
    .filter((page) => page !== undefined);
}

/** Under the folder of this checkout, in the same order everywhere. */
function find(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT }).toSorted();
}

async function read(files: readonly string[], isWanted: (source: string) => boolean = () => true): Promise<RealPage[]> {
  const pages = await Promise.all(
    files.map(async (name) => ({
      name,
      // Manuals have links to files that are not installed, and folders named like a page.
      source: await readFile(path.resolve(ROOT, name), "utf8").catch(() => ""),
    })),
  );
  return pages.filter(({ source }) => source !== "" && source.length <= MAX_LENGTH && isWanted(source));
}

/** Of the whole range, not of its beginning: neighbours are alike. */
function evenly<Page>(pages: readonly Page[], max: number): Page[] {
  const step = Math.max(1, pages.length / max);
  return Array.from({ length: Math.min(max, pages.length) }, (_, index) => pages[Math.floor(index * step)]).filter(
    (page) => page !== undefined,
  );
}

/** Markdown without tags gives what markdown-it writes, in which there is nothing to find. */
function isMarkedUp(source: string): boolean {
  return /<(?:p|div|img|a|table|h\d|br|picture|details)\b/i.test(source);
}

function rendered(name: string, markdown: string): string {
  const body = markdownIt({ html: true }).render(markdown);
  return `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${name}</title></head>\n<body>\n${body}</body>\n</html>\n`;
}

async function ownPages(): Promise<RealPage[]> {
  const guides = await readGuides();
  const page = async (name: string, route: PageRoute, params = {}): Promise<RealPage> => {
    const nobody = { api: undefined as never, reader: null, home: true, query: new URLSearchParams(), now: new Date() };
    const context = { ...nobody, params, path: name, href: (path: string) => path, guides: async () => guides };
    return { name, source: htmlPage((await route.read(context)) as View, context, await assets()) };
  };
  const some = evenly(guides.list(), most.guides);
  return [
    await page("guides", guidesPage),
    ...(await Promise.all(some.map(({ kind, rule }) => page(`guides/${kind}/${rule}`, guidePage, { kind, rule })))),
    { name: "the API's reference", source: referencePage },
  ];
}
