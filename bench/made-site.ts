import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** A site of as many pages as one asks for, each made when it is requested, so that no size takes memory or disk. */

const CHILDREN = 10;
const RELATED = 20;
const PARAGRAPHS = 30;
/** Pages repeat their kinds of faults after so many. */
export const FAULT_PERIOD = 10;

/** The path of a page; 0 is the start page. */
export function madePath(page: number): string {
  return page === 0 ? "/" : `/pages/${page}`;
}

/**
 * A page of some 4 kB, the same for the same numbers. It links to its children in a tree, in which all pages are reached, and to
 * others here and there. Each page has two faults of a template, and one in ten has a fault with a message of its own.
 */
export function madePage(page: number, size: number): string {
  const link = (to: number) => `<li><a href="${madePath(to)}">Page ${to}</a></li>`;
  const children = Array.from({ length: CHILDREN }, (_, n) => page * CHILDREN + n + 1).filter((to) => to < size);
  const related = Array.from({ length: RELATED }, (_, n) => (page * 7_919 + n * 104_729) % size);
  const paragraphs = Array.from(
    { length: PARAGRAPHS },
    (_, n) => `<p class="text">Paragraph ${n} of page ${page}, with <b>${(page * 31 + n * 17) % 9_973}</b> words.</p>`,
  );
  const own = page % FAULT_PERIOD === 0 ? `<p id="own-${page}">One</p><p id="own-${page}">Two</p>` : "";
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Page ${page}</title></head>
<body>
<header><a href="/"><img src="/logo.png"></a></header>
<nav><ul>${[...children, ...related].map(link).join("\n")}</ul></nav>
<main><h1>Page ${page}</h1>
${paragraphs.join("\n")}
${own}
</main>
<footer><center>A made site</center></footer>
</body>
</html>
`;
}

/** Serves the site on loopback from a process of its own, which does not share the event loop of the bench. */
export async function serveMadeSite(size: number): Promise<{ url: string; close(): Promise<void> }> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ["serve", String(size)]);
  const gone = once(child, "exit");
  const [port] = (await Promise.race([
    once(child, "message"),
    gone.then(() => Promise.reject(new Error("The made site's server did not start."))),
  ])) as [number];
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      child.kill();
      await gone;
    },
  };
}

function serve(size: number): void {
  const server = createServer((request, response) => {
    const [, number = "0"] = /^\/pages\/(\d+)$/.exec(request.url ?? "") ?? [];
    const page = Number(number);
    if (request.url !== madePath(page) || page >= size) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
      return;
    }
    const body = Buffer.from(madePage(page, size));
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-length": body.length }).end(body);
  });
  // Exit when the parent exits, however that happens.
  process.once("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === "serve") serve(Number(process.argv[3]));
