import { Parser } from "htmlparser2";
import { Agent, request } from "undici";

/**
 * The baseline for the crawler: it fetches, parses and follows links over eight connections,
 * and neither stores nor checks anything. Prints the number of pages.
 *
 *     node bench/bare-crawl.ts URL [maximum number of pages]
 */

const CONNECTIONS = 8;
const start = new URL(process.argv[2] ?? "");
const maxPages = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
const agent = new Agent({ connections: CONNECTIONS });
const seen = new Set([start.href]);
const queue = [start.href];
let pages = 0;
let running = 0;

async function visit(url: string): Promise<void> {
  const { statusCode, headers, body } = await request(url, { dispatcher: agent });
  if (statusCode !== 200 || !String(headers["content-type"]).startsWith("text/html")) {
    await body.dump();
    return;
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name !== "a" || attributes.href === undefined || !URL.canParse(attributes.href, url)) return;
      const link = new URL(attributes.href, url);
      link.hash = "";
      if (link.host !== start.host || seen.has(link.href)) return;
      seen.add(link.href);
      queue.push(link.href);
    },
  });
  body.setEncoding("utf8");
  for await (const chunk of body) parser.write(chunk);
  parser.end();
  pages++;
}

await new Promise<void>((resolve, reject) => {
  const pump = (): void => {
    const mayStart = () => running < CONNECTIONS && queue.length > 0 && pages + running < maxPages;
    if (running === 0 && !mayStart()) resolve();
    while (mayStart()) {
      running++;
      visit(queue.shift() ?? "")
        .finally(() => running--)
        .then(pump, reject);
    }
  };
  pump();
});
await agent.close();
process.stdout.write(`${pages}\n`);
