import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Coverage } from "../src/domain/coverage/coverage.ts";
import { type Timed, timed } from "./processor-time.ts";
import { record } from "./results.ts";
import { type ServiceClient, serviceClient } from "./service-client.ts";
import { isSmoke, rounds } from "./smoke.ts";
import { startService } from "./start-service.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * How much longer a report of accessibility takes that acts on three pages of each template than one that only reads pages, side
 * by side in one run, on made pages of four templates or on a folder:
 *
 *     node bench/acting.ts [pages] [rounds] [folder]
 */

const pages = Number(process.argv[2] ?? (isSmoke ? 8 : 300));
const times = Number(process.argv[3] ?? rounds(2));
type Run = Timed<Awaited<ReturnType<typeof run>>>;
const depths = ["static", "acting"] as const;

const work = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
await chmod(work, 0o755);
const site = await startStaticServer(process.argv[4] ?? (await makePages(work)));
const service = await startService(path.join(work, "data"));
try {
  const client = serviceClient(service);
  const runs = { static: [] as Run[], acting: [] as Run[] };
  for (let round = 0; round < times; round += 1) {
    for (const depth of depths) {
      runs[depth].push(await timed(() => run(client, depth)));
    }
    console.log(
      `round ${round + 1}: ${depths.map((depth) => `${depth} ${runs[depth].at(-1)?.seconds.toFixed(1)} s`).join(", ")}`,
    );
  }
  const leftOut = runs.acting[0]?.leftOut ?? 0;
  for (const figure of ["seconds", "processor"] as const) {
    const best = (depth: (typeof depths)[number]) => Math.min(...runs[depth].map((one) => one[figure]));
    const what = figure === "seconds" ? "time until it is complete" : "processor time";
    const measure = `acting on three pages of each template, ${pages} pages: ${what}`;
    record({
      ...{ row: "5b", measure, against: "a static report" },
      ...{ ratio: best("acting") / best("static"), target: { atMost: 1.3 } },
      figures: { s: best("acting"), "s of the static report": best("static"), "pages acted on": pages - leftOut },
    });
  }
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  await site.close();
  await rm(work, { recursive: true, force: true });
}

async function run(client: ServiceClient, depth: (typeof depths)[number]) {
  const { report, seconds } = await client.finish({
    ...{ starting_url: new URL("index.html", site.url).href, max_pages: pages, rate_limit: 0, a11y_depth: depth },
    ...{ perform_html_checks: false, perform_a11y_checks: true },
  });
  const checked = report.checks.a11y?.status.checked;
  if (report.num_pages !== pages || checked !== pages)
    throw new Error(`${report.num_pages} of ${pages} pages were found, and ${checked} checked.`);
  const { coverage } = report as unknown as { coverage: Coverage };
  const notice = coverage.notices.find(({ code }) => code === "acted_on_examples");
  return { seconds, leftOut: notice?.how_many ?? 0 };
}

/** Articles, lists, forms and a shop, which link to each other. */
async function makePages(folder: string): Promise<string> {
  const name = (page: number): string => (page === 0 ? "index.html" : `page-${page}.html`);
  const text =
    "<p>We bake our bread every morning, and deliver it by bicycle. <a href='index.html'>Order</a> before six.</p>";
  const contents = [
    (page: number) => `<article class="post"><h1>Bread ${page}</h1>${text.repeat(5 + (page % 20))}</article>`,
    (page: number) =>
      `<section class="list"><h1>List ${page}</h1><ul>${`<li>${text}</li>`.repeat(10 + (page % 7))}</ul></section>`,
    (page: number) =>
      `<form class="order"><h1>Order ${page}</h1>${Array.from({ length: 12 }, (_, n) => `<p><label>Part ${n} <input name="p${n}"></label></p>`).join("")}<button>Send</button></form>`,
    (page: number) =>
      `<div class="shop"><h1>Shop ${page}</h1>${`<div class="card"><h2>Loaf</h2>${text}<button>Buy</button></div>`.repeat(12)}</div>`,
  ];
  for (let page = 0; page < pages; page += 1) {
    const links = [1, 2, 3]
      .map((step) => (page * 3 + step) % pages)
      .map((to) => `<li><a href="${name(to)}">Page ${to}</a></li>`);
    await writeFile(
      path.join(folder, name(page)),
      `<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>Page ${page}</title><meta name="viewport" content="width=device-width">
      <style>body { max-width: 60em; margin: auto } .card { display: inline-block; width: 12em }</style>
      <header><nav><ul>${links.join("")}</ul></nav></header><main>${contents[page % contents.length]?.(page)}</main><footer>A bakery</footer></html>\n`,
    );
  }
  return folder;
}
