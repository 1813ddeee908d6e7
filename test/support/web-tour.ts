import type { IncomingMessage, ServerResponse } from "node:http";
import { type Routes, serveSite } from "./site.ts";
import { eventually } from "./wait.ts";
import { accountTour } from "./web-account-tour.ts";
import { type Stop, signedIn, type WebClient, type WebReply, type WebService, webClient } from "./web-service.ts";

const layout = (title: string, body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>
<header><a href="/"><img src="/logo.png"></a><nav><a href="/">Home</a> <a href="/two">Two</a> <a href="/missing">Gone</a> <center>Old</center></nav></header>
<main><h1>${title}</h1>\n${body}\n</main><footer><p style="color:#aaa">Faint words</p></footer>\n</body>\n</html>\n`;

/** A site with something for every page of a report: faults of a template, of one page, failures, what is left out. */
function shop(): Routes {
  return {
    "/": layout("Shop", `<p id="a">x</p><p id="a">y</p><button></button> <a href="https://elsewhere.example/">Out</a>`),
    "/two": layout("Two", `<h4>Skipped</h4><input type="text"><a href="/three">Three</a>`),
    "/three": layout(
      "Three",
      `<script>document.title = "<b>&amp;"</script><p lang="xx-invalid-">Text &nosuch;</p><a href="/help/">Help</a>`,
    ),
    "/help/": layout(
      "Help",
      `<p style="color:#bbb">Pale</p><a href="/help/opening">When</a> <a href="/staff">Staff</a>`,
    ),
    "/staff": { status: 403 },
    "/help/opening": layout("Opening", `<h4>Today</h4><select><option>One</option></select>`),
  };
}

const clean = `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Fine</title></head>\n<body><main><h1>Fine</h1><p>Nothing is wrong here.</p></main></body>\n</html>\n`;

/**
 * Visits every page of the service in every state that people can meet, in the order of a first day: from signing in
 * to an account with sites, schedules and guests. Each page comes to `stop` as it was then.
 */
export async function tour(service: WebService, stop: (stop: Stop) => Promise<void> | void): Promise<void> {
  const visit = async (client: WebClient, name: string, path: string) => seen(name, path, await client.get(path));
  const seen = async (name: string, path: string, { status, html }: WebReply) => {
    await stop({ name, path, status, html });
    return html;
  };
  const stranger = webClient(service.url);
  await visit(stranger, "sign-in", "/sign-in");
  await seen("sign-in-unknown-token", "/sign-in", await stranger.post("/sign-in", { token: "svt_wrong" }));
  await visit(stranger, "sign-in-ended", "/sign-in?ended=1&next=%2F");
  await visit(stranger, "not-found-signed-out", "/r/00000000-0000-4000-8000-000000000000");

  const waiting = { starting_url: "https://shop.example/", max_pages: "20" };
  await seen("sign-in-form-kept", "/reports/new", await stranger.post("/reports/new", waiting));
  const resume = { resume_action: "/reports/new", resume_fields: new URLSearchParams(waiting).toString() };
  const resumed = await webClient(service.url).post("/sign-in", { token: service.token, ...resume });
  await seen("sign-in-form-resumed", "/sign-in", resumed);
  await visit(stranger, "not-found-address", "/nothing");
  await visit(stranger, "guides", "/guides");
  await visit(stranger, "guides-search", "/guides?text=label&kind=a11y");
  await visit(stranger, "guides-no-match", "/guides?text=nothing-has-this-text");
  await visit(stranger, "guide-html", "/guides/html/img/alt");
  await visit(stranger, "guide-a11y", "/guides/a11y/color-contrast");
  await visit(stranger, "guide-not-found", "/guides/html/no-such-rule");

  const client = await signedIn(service);
  await visit(client, "sites-none", "/");
  await visit(client, "guide-signed-in", "/guides/a11y/region");
  await visit(client, "new-report", "/reports/new");
  const wrong = { starting_url: "not an address", max_pages: "0", rate_limit: "900", standard: "wcag22aa" };
  await seen("new-report-refused", "/reports/new", await client.post("/reports/new", wrong));
  await visit(client, "not-found", "/reports/00000000-0000-4000-8000-000000000000");
  await seen("foreign-form", "/reports/new", await client.post("/reports/new", { ...wrong, csrf: "x" }));

  const held = holdingRoute();
  const routes = shop();
  const site = await serveSite(routes);
  const fine = await serveSite({ "/": clean });
  const slow = await serveSite({ ...shop(), "/two": held.route });
  try {
    const checks = { perform_html_checks: "true", perform_a11y_checks: "true" };
    const settings = { max_pages: "20", rate_limit: "25", deep_crawl: "true", ...checks };
    const start = async (url: string, more: Record<string, string> = {}) => {
      const form = { ...settings, standard: "wcag22aa", store_screenshot: "true", ...more, starting_url: url };
      await client.get("/reports/new");
      const { location } = await client.post("/reports/new", form);
      return location ?? "";
    };
    const ended = async (path: string) => {
      await eventually(async () => !(await client.get(path)).html.includes("data-live"));
    };

    const first = await start(site.url);
    await ended(first);
    routes["/two"] = layout("Two", `<h4>Skipped</h4><input type="text"><img src="/new.png"><a href="/three">Three</a>`);
    const second = await start(site.url);
    await ended(second);
    const nothing = await start(fine.url);
    await ended(nothing);
    const unreachable = await start("http://127.0.0.1:9/");
    await ended(unreachable);
    await visit(client, "report-nothing-wrong", nothing);
    await visit(client, "report-failed", unreachable);
    await visit(client, "issues-none", `${nothing}/issues`);

    const running = await start(slow.url);
    await held.reached;
    await eventually(async () => (await client.get(running)).html.includes('id="progress"'));
    await visit(client, "report-running", running);
    await visit(client, "pages-running", `${running}/pages`);
    await client.post(`${running}/cancel`, {});
    await ended(running);
    await visit(client, "report-cancelled", running);

    await visit(client, "sites", "/");
    await visit(client, "month", `/months/${new Date().toISOString().slice(0, 7)}`);
    await visit(client, "month-without-runs", "/months/2020-02");
    await visit(client, "sites-no-match", "/?q=nothing-has-this");
    const ofSite = linkIn((await client.get(second)).html, /<h1[\s\S]*?href="(\/sites\/[^"]+)"/);
    await visit(client, "site", ofSite);
    await visit(client, "site-compare-refused", `${ofSite}/compare?run=x`);
    const tooLong = { name: "x".repeat(300), owner: "Web team", tags: "shops" };
    await seen("site-refused", ofSite, await client.post(ofSite, tooLong));
    await client.post(ofSite, { ...tooLong, name: "Market hall shop" });
    await visit(client, "site-named", ofSite);
    await visit(client, "sites-of-a-tag", "/?tag=shops");
    await visit(client, "report", second);
    await visit(client, "issues", `${second}/issues`);
    await visit(client, "guide-found", "/guides/html/img/alt");
    await visit(client, "issues-filtered", `${second}/issues?kind=html&type=error&state=new&text=img`);
    await visit(client, "issues-of-a-standard", `${second}/issues?standard=best-practice`);
    await visit(client, "issues-unknown-value", `${second}/issues?impact=critcal&state=x`);
    await visit(client, "issues-no-match", `${second}/issues?text=nothing-has-this-text`);
    const issues = (await client.get(`${second}/issues`)).html;
    await visit(client, "component", linkIn(issues, /href="(\/reports\/[^"]+\/components\/[^"]+)"/));
    await visit(client, "issue-html", linkIn(issues, /href="(\/reports\/[^"]+\/issues\/html\/[^"?]+)/));
    await visit(client, "issue-a11y", linkIn(issues, /href="(\/reports\/[^"]+\/issues\/a11y\/[^"?]+)/));
    const causes = await visit(client, "causes", `${second}/causes`);
    await visit(client, "causes-filtered", `${second}/causes?role=template&sort=gain-desc`);
    await visit(client, "causes-no-match", `${second}/causes?role=design&impact=minor`);
    await visit(client, "cause", linkIn(causes, /href="(\/reports\/[^"]+\/causes\/[^"?]+)"/));
    const changes = await visit(client, "changes", `${second}/changes`);
    await visit(client, "changes-rule", linkIn(changes, /href="([^"]+[?]rule=[^"]+)#/));
    await visit(client, "changes-fixed", `${second}/changes?state=fixed`);
    await visit(client, "changes-with-another", `${second}/changes?base=${first.split("/").at(-1)}`);
    await visit(client, "changes-none", `${first}/changes`);
    const pages = await visit(client, "pages", `${second}/pages`);
    await visit(client, "pages-no-match", `${second}/pages?url=nothing-has-this`);
    await visit(client, "page", linkIn(pages, /href="(\/reports\/[^"]+\/pages\/[^"]+)"/));
    const editors = await visit(client, "editors", `${second}/editors`);
    await visit(
      client,
      "editors-template",
      `${linkIn(editors, /href="(\/reports\/[^"]+\/editors\/[^"?]+)/)}?role=template`,
    );
    await visit(client, "editors-no-match", `${second}/editors?url=nothing-has-this`);
    const failed = await visit(client, "failed", `${second}/failed`);
    await visit(client, "page-failed", linkIn(failed, /href="(\/reports\/[^"]+\/pages\/[^"]+)"/));

    await client.get(second);
    const { location } = await client.post(`${second}/share`, { shared: "true" });
    await visit(client, "report-shared", location ?? "");
    const shared = second.replace("/reports/", "/r/");
    await visit(stranger, "shared-report", shared);
    await visit(stranger, "shared-issues", `${shared}/issues`);
    await visit(
      stranger,
      "shared-page",
      linkIn(pages, /href="(\/reports\/[^"]+\/pages\/[^"]+)"/).replace("/reports/", "/r/"),
    );
    await visit(stranger, "shared-failed", `${shared}/failed`);
    await visit(client, "share-links-none", "/share-links");
    const links: string[] = [];
    const things: Record<string, string>[] = [
      { report_id: second.split("/").at(-1) ?? "" },
      { site_id: ofSite.split("/").at(-1) ?? "" },
    ];
    for (const thing of things) {
      await visit(client, `new-share-link-${links.length}`, `/share-links?${new URLSearchParams(thing)}`);
      const made = await client.post("/share-links", { ...thing, days: "30" });
      await seen(`share-link-created-${links.length}`, "/share-links", made);
      links.push(linkIn(made.html, /href="(\/shared\/[^"]+)"/));
    }
    await visit(client, "share-links", "/share-links");
    await visit(client, "site-questions", `${ofSite}/questions`);
    await visit(client, "site-criteria", `${ofSite}/criteria`);
    await visit(client, "site-criterion", `${ofSite}/criteria?answer=2.4.3`);
    await visit(client, "site-statement", `${ofSite}/statement`);
    await visit(stranger, "shared-by-link", links[0] ?? "");
    await visit(stranger, "shared-by-link-issues", `${links[0]}/issues`);
    await visit(stranger, "shared-by-link-editors", `${links[0]}/editors`);
    await visit(stranger, "shared-site", links[1] ?? "");

    const views = "path,views\n/,4120\n/two,239\n/three,94\n/nowhere,7\n";
    const measured = await fetch(`${service.url}/api/v1${ofSite}/page_views`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ data: { attributes: { file: views } } }),
    });
    if (measured.status !== 200) throw new Error(await measured.text());
    await visit(client, "site-with-page-views", `${ofSite}?days=30`);
    await visit(client, "report-by-page-views", `${second}?weigh=met`);
    await visit(client, "causes-by-page-views", `${second}/causes?sort=met-desc`);
    await visit(client, "pages-by-page-views", `${second}/pages?sort=met-desc`);
    const target = { target_score: "90", target_on: "2999-03-31" };
    await client.post(ofSite, target);
    await visit(client, "site-with-a-target", ofSite);
    await seen("site-page-views-refused", ofSite, await client.post(ofSite, { views: "read", file: "no,table" }));
    await visit(client, "pages-no-match-in-a-part", `${second}/pages?url=nothing-has-this&path=%2Fhelp%2F`);
    await visit(client, "pages-none-without-findings", `${second}/pages?result=nothing`);
    const ids = [...pages.matchAll(/name="page" value="(\d+)"/g)].slice(0, 2).map(([, id = ""]) => id);
    await visit(client, "pages-delete-asked", `${second}/pages/selected?pages=${ids.join(",")}`);
    await visit(client, "pages-checked-again", `${second}/pages?again=${ids.map((id) => `${id}-9`).join(",")}&was=40`);
    await visit(client, "causes-of-a-part", `${second}/causes?path=%2Fhelp%2F`);

    await accountTour({ service, client, site: site.url, report: second, stop, ended });
  } finally {
    held.release();
    await Promise.all([site.close(), fine.close(), slow.close()]);
  }
}

function linkIn(html: string, pattern: RegExp): string {
  const link = pattern.exec(html)?.[1];
  if (link === undefined) throw new Error(`No link like ${pattern} in:\n${html}`);
  return link;
}

/** A page that does not answer before it is released. */
function holdingRoute() {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const route = async (_request: IncomingMessage, response: ServerResponse) => {
    reached.resolve();
    await released.promise;
    response.end();
  };
  return { route, reached: reached.promise, release: () => released.resolve() };
}
