import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startService } from "./start-service.ts";

/**
 * Whether a comparison says what was done to a site. A site's pages are checked twice as they are, and once after
 * thirty edits of ten kinds, each on another page and with a mark of its own: what is expected of each edit is held
 * against the states of the findings that carry its mark, and every other finding must be there still.
 *
 *     node bench/edited-site.ts <folder of HTML pages with an index.html> [--a11y]
 */

type Finding = { url: string; state: string; element: { extract: string } | null; how_many: number };
type Edit = {
  kind: string;
  /** States of the findings with the edit's mark. */
  expected: string[];
  /** The page as it was, and as it is; undefined where there is none. */
  before(page: string, mark: string): string | undefined;
  after(page: string, mark: string): string | undefined;
  renamed?: true;
};

const img = (mark: string, attributes = "") => `<img src="${mark}.png"${attributes}>`;
const atEnd = (page: string, markup: string) => page.replace(/<\/body>/i, `${markup}</body>`);
const atStart = (page: string, markup: string) => page.replace(/<body[^>]*>/i, (tag) => `${tag}${markup}`);

const edits: Edit[] = [
  { kind: "a fault is made", expected: ["new"], before: (page) => page, after: (page, mark) => atEnd(page, img(mark)) },
  {
    kind: "a fault is mended",
    expected: ["fixed"],
    before: (page, mark) => atEnd(page, img(mark)),
    after: (page) => page,
  },
  {
    kind: "a faulty element moves",
    expected: ["persisting"],
    before: (page, mark) => atStart(page, `<div class="top">${img(mark)}</div>`),
    after: (page, mark) => atEnd(page, `<div class="bottom">${img(mark)}</div>`),
  },
  {
    kind: "a faulty element is edited",
    expected: ["persisting"],
    before: (page, mark) => atEnd(page, `<p class="note">${img(mark)}</p>`),
    after: (page, mark) => atEnd(page, `<p class="note">${img(`other-${mark}`)}</p>`),
  },
  {
    kind: "text is added above",
    expected: ["persisting"],
    before: (page, mark) => atEnd(page, img(mark)),
    after: (page, mark) => atEnd(atStart(page, "<p>One more paragraph.</p>\n\n\n"), img(mark)),
  },
  {
    kind: "a generated class has another name",
    expected: ["persisting"],
    before: (page, mark) => atEnd(page, `<div class="css-1a2b3c4d">${img(mark, ' class="sc-fjdhpX kRqYaB"')}</div>`),
    after: (page, mark) => atEnd(page, `<div class="css-9z8y7x6w">${img(mark, ' class="sc-gZMcBi hTqLoP"')}</div>`),
  },
  {
    kind: "one fault is replaced by another",
    expected: ["fixed", "new"],
    before: (page, mark) => atEnd(page, img(mark)),
    after: (page, mark) => atEnd(page, `<center title="${mark}">x</center>`),
  },
  {
    kind: "a page is removed",
    expected: ["gone"],
    before: (page, mark) => atEnd(page, img(mark)),
    after: () => undefined,
  },
  {
    kind: "a page is added",
    expected: ["new"],
    before: () => undefined,
    after: (page, mark) => atEnd(page, img(mark)),
  },
  {
    kind: "a page is renamed",
    expected: ["persisting"],
    before: (page, mark) => atEnd(page, img(mark)),
    after: (page, mark) => atEnd(page, img(mark)),
    renamed: true,
  },
];
const EDITS_OF_KIND = 3;

const folder = process.argv[2];
if (!folder) {
  console.error("Give the folder of a site's HTML pages, with an index.html, as the first argument.");
  process.exit(2);
}
const work = await mkdtemp(path.join(tmpdir(), "sv-edited-"));
const [before, after] = [path.join(work, "before"), path.join(work, "after")];
let served = before;
const site = createServer(async (request, response) => {
  const name = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname).slice(1) || "index.html";
  const type = name.endsWith(".html") ? "text/html; charset=utf-8" : "application/octet-stream";
  const body = name.includes("..") ? undefined : await readFile(path.join(served, name)).catch(() => undefined);
  response.writeHead(body ? 200 : 404, { "content-type": type }).end(body);
}).listen(0, "127.0.0.1");
await once(site, "listening");
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
const service = await startService(path.join(work, "data"));
try {
  const marks = await editSite();
  const first = await report("as it was");
  const second = await report("as it was, again");
  printEqual(await findings(second), first);
  served = after;
  const third = await report("edited");
  printEdits(await findings(third), marks);
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  site.close();
  await rm(work, { recursive: true, force: true });
}

type Mark = { mark: string; edit: Edit; name: string };

/** Copies the site twice and makes the edits. @returns the mark, kind and page of each */
async function editSite(): Promise<Mark[]> {
  for (const copy of [before, after]) await cp(path.resolve(folder ?? ""), copy, { recursive: true });
  const names = (await pagesOf(before)).filter((name) => name !== "index.html");
  const step = Math.floor(names.length / edits.length / EDITS_OF_KIND);
  const all = edits.flatMap((edit) => Array<Edit>(EDITS_OF_KIND).fill(edit));
  const marks: Mark[] = [];
  for (const [place, edit] of all.entries()) marks.push(await makeEdit(edit, place, names[place * step] ?? ""));
  await changeLinks(marks);
  return marks;
}

async function pagesOf(copy: string): Promise<string[]> {
  return (await readdir(copy)).filter((name) => name.endsWith(".html")).sort();
}

async function makeEdit(edit: Edit, place: number, name: string): Promise<Mark> {
  const mark = `edit-${place}-mark`;
  const page = await readFile(path.join(before, name), "utf8");
  const [was, is] = [edit.before(page, mark), edit.after(page, mark)];
  const target = was === undefined ? `added-${place}.html` : name;
  if (was !== undefined) await writeFile(path.join(before, target), was);
  if (is !== undefined) await writeFile(path.join(after, target), is);
  else await rm(path.join(after, target));
  return { mark, edit, name: target };
}

/** Renames what is renamed, and makes every page link to what is there. */
async function changeLinks(marks: readonly Mark[]): Promise<void> {
  const renamed = marks
    .filter(({ edit }) => edit.renamed)
    .map(({ name, mark }) => [name, `renamed-${mark}.html`] as const);
  for (const [from, to] of renamed) await rename(path.join(after, from), path.join(after, to));
  const added = marks.filter(({ name }) => name.startsWith("added-"));
  const links = `<p>${added.map(({ name }) => `<a href="${name}">One more page</a>`).join(" ")}</p>`;
  for (const name of await pagesOf(after)) {
    const file = path.join(after, name);
    const text = await readFile(file, "utf8");
    const linked = renamed.reduce((all, [from, to]) => all.replaceAll(`href="${from}`, `href="${to}`), text);
    const changed = name === "index.html" ? atEnd(linked, links) : linked;
    if (changed !== text) await writeFile(file, changed);
  }
}

async function request(address: string, body?: unknown): Promise<Response> {
  const response = await fetch(new URL(address, service.url), {
    headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${address} responded with ${response.status}: ${await response.text()}`);
  return response;
}

/** Checks the site. @returns the report's id */
async function report(title: string): Promise<string> {
  const started = performance.now();
  const perform_a11y_checks = process.argv.includes("--a11y");
  const attributes = { starting_url: `${origin}/index.html`, max_pages: 0, rate_limit: 0, perform_a11y_checks };
  const { data } = await (await request("/api/v1/reports", { data: { attributes } })).json();
  for (;;) {
    const { attributes: now } = (await (await request(`/api/v1/reports/${data.id}`)).json()).data;
    if (now.phase === "Failed") throw new Error(`The report failed: ${JSON.stringify(now.failure)}`);
    if (now.phase === "Complete") {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(
        `${title}: ${now.num_pages} pages in ${seconds} s; states ${JSON.stringify(now.comparison?.states ?? null)}`,
      );
      return data.id;
    }
    await sleep(500);
  }
}

/** All findings of a report, with those that it has no more. */
async function findings(id: string): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const state of ["persisting", "new", "new_rule", "fixed", "gone", "unknown"]) {
    let next: string | null = `/api/v1/reports/${id}/findings?filter[state]=${state}&page[size]=100`;
    while (next) {
      const page: { data: { attributes: Finding }[]; links: { next: string | null } } = await (
        await request(next)
      ).json();
      found.push(...page.data.map(({ attributes }) => ({ ...attributes, state })));
      next = page.links.next;
    }
  }
  return found;
}

function printEqual(all: readonly Finding[], base: string): void {
  const others = all.filter(({ state }) => state !== "persisting");
  console.log(`  against ${base}: ${all.length - others.length} findings are the same, ${others.length} are not`);
  for (const { url, state, element } of others.slice(0, 10)) console.log(`    ${state} ${url} ${element?.extract}`);
}

/** A row for each kind of edit, and what is not explained by one. */
function printEdits(all: readonly Finding[], marks: readonly Mark[]): void {
  let wrong = 0;
  const explained = new Set<Finding>();
  for (const { kind, expected } of edits) {
    const of = marks.filter(({ edit }) => edit.kind === kind);
    const rows = of.map(({ mark, name }) => {
      const own = all.filter(({ element }) => element?.extract.includes(mark));
      for (const finding of own) explained.add(finding);
      // What else is on a page that comes or goes, comes or goes with it.
      if (kind === "a page is removed" || kind === "a page is added")
        for (const finding of all) if (finding.url.endsWith(`/${name}`)) explained.add(finding);
      return own.map(({ state }) => state).sort();
    });
    const right = rows.filter((states) => states.join() === [...expected].sort().join()).length;
    wrong += of.length - right;
    console.log(
      `  ${kind.padEnd(36)} ${expected.join(" and ").padEnd(14)} ${right} of ${of.length}${right < of.length ? `: ${JSON.stringify(rows)}` : ""}`,
    );
  }
  const stray = all.filter((finding) => finding.state !== "persisting" && !explained.has(finding));
  console.log(`  other findings: ${all.length - explained.size - stray.length} persist, ${stray.length} do not`);
  for (const { url, state, element } of stray.slice(0, 10)) console.log(`    ${state} ${url} ${element?.extract}`);
  if (wrong > 0 || stray.length > 0) process.exitCode = 1;
}
