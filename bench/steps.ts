import { chmod, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { page, shop, shopSteps } from "../test/support/members-sites.ts";
import { serveSite } from "../test/support/site.ts";
import { median } from "./median.ts";
import { type Document, serviceClient } from "./service-client.ts";
import { startService } from "./start-service.ts";
import { watchProcesses } from "./watch-processes.ts";

/**
 * What steps add to a report of accessibility checks: a sign-in, a click on each page before it is checked, and a state. Reports of the
 * same pages, open to everybody and behind a form, one after the other in each round:
 *
 *     node bench/steps.ts [--pages 60] [--rounds 3]
 */
const { values } = parseArgs({ options: { pages: { type: "string" }, rounds: { type: "string" } } });
const pages = Number(values.pages ?? 60);
const times = Number(values.rounds ?? 3);

const text = "<p>We bake our bread every morning, and deliver it by bicycle. <a href='/p/0'>Order</a> before six.</p>";
const product = page(
  "Product",
  `<button id="menu" onclick="document.querySelector('ul').hidden = false">Menu</button>
  <ul hidden><li><a href="/p/1">One</a></li></ul>${text.repeat(20)}<img src="data:,">`,
);
const links = Array.from({ length: pages - 1 }, (_, n) => `<a href="/p/${n}">Product ${n}</a>`).join(" ");
const behindForm = await serveSite(shop({ pages: pages - 1, product }).routes);
const open = await serveSite({ "/robots.txt": { status: 404 }, "/": page("Shop", links), "*": product });

const click = { type: "click", selectors: [["#menu"]] };
const kinds = {
  open: { starting_url: open.url },
  "a sign-in": { starting_url: behindForm.url },
  "a click on each page": { starting_url: open.url, prepare: [{ url: "/p/*", steps: [click] }] },
  "a state of each page": { starting_url: open.url, states: [{ name: "menu", url: "/p/*", steps: [click] }] },
};
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

const work = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
await chmod(work, 0o755);
const service = await startService(path.join(work, "data"), { SECRET_KEY: "only for this benchmark" });
const client = serviceClient(service);
try {
  const stored = { host: new URL(behindForm.url).host, sign_in: { steps: shopSteps(behindForm.origin) } };
  const { data } = await client.request<{ data: Document }>("/api/v1/basic_auths", stored);
  const runs = new Map(names.map((name) => [name, [] as Run[]]));
  for (let round = 0; round < times; round += 1) {
    for (const name of names)
      runs.get(name)?.push(await run({ ...kinds[name], ...(name === "a sign-in" && { basic_auth_id: data.id }) }));
    console.log(`round ${round + 1} of ${times}; load of the machine ${loadavg()[0]?.toFixed(1)}`);
  }
  const of = (name: Kind, figure: keyof Run) => median((runs.get(name) ?? []).map((one) => one[figure]));
  for (const name of names) {
    const more = (of(name, "seconds") - of("open", "seconds")) * 1_000;
    console.log(
      `${name}: ${of(name, "seconds").toFixed(2)} s for ${of(name, "checks")} checks, ${more.toFixed(0)} ms more than open ` +
        `(${(more / pages).toFixed(1)} ms a page); at most ${of(name, "browser").toFixed(0)} MB of a browser's process, ` +
        `${of(name, "checker").toFixed(0)} MB of a checker, ${of(name, "crawler").toFixed(0)} MB of a crawler`,
    );
  }
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  await Promise.all([open.close(), behindForm.close()]);
  await rm(work, { recursive: true, force: true });
}

/** Seconds until the report is complete, and the most memory in MB that a process of each kind has had. */
type Run = { seconds: number; checks: number; browser: number; checker: number; crawler: number };

async function run(attributes: object): Promise<Run> {
  const watching = watchProcesses(service.child.pid ?? 0);
  const { report, seconds } = await client.finish({
    ...{ max_pages: pages, rate_limit: 0, perform_html_checks: false, perform_a11y_checks: true },
    ...attributes,
  });
  const usage = watching.stop();
  const { checked = 0, failed = 0 } = report.checks.a11y?.status ?? {};
  if (checked < pages || failed > 0)
    throw new Error(`Of ${pages} pages, ${checked} were checked, and ${failed} failed.`);
  const most = (kind: Parameters<typeof usage.get>[0]) => usage.get(kind)?.megabytes ?? 0;
  return {
    ...{ seconds, checks: checked, browser: most("browser") },
    ...{ checker: most("accessibility checker"), crawler: most("crawler") },
  };
}
