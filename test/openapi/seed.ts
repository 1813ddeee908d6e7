import type { IncomingMessage, ServerResponse } from "node:http";
import type { Site } from "../support/site.ts";

/** The resources that requests can use; ids by the names of the document's path parameters. */
export type Seed = {
  /** For reading, and for changes that start no work. */
  reading: Record<string, string>;
  /** A page without accessibility checks, to check again and again. */
  rechecking: Record<string, string>;
};

type Data = { id: string; attributes: Record<string, unknown> };

/** The routes of a site with something to find for both engines, and something to leave out. */
export const sitePages = {
  "/": `<!DOCTYPE html><html lang="en"><head><title>Start</title></head><body><main><h1>Start</h1>
<img src="a.png"><center>Old</center><a href="/next">Next</a> <a href="/gone">Gone</a> <a href="https://elsewhere.invalid/">Out</a></main></body></html>`,
  "/next": `<!DOCTYPE html><html lang="en"><head><title>Next</title></head><body><main><h1>Next</h1>
<p id="a" id="a">Twice</p></main></body></html>`,
};

/** A site without end. */
export const endlessPages = {
  "*": (request: IncomingMessage, response: ServerResponse) => {
    const next = Number((request.url ?? "").slice(1)) + 1 || 1;
    response.setHeader("content-type", "text/html");
    response.end(`<!DOCTYPE html><html lang="en"><title>${next}</title><a href="/${next}">${next}</a></html>`);
  },
};

/**
 * Starts a report that never ends, at one page per second: if only one report may run at a
 * time, all later ones wait and cost nothing.
 */
export async function keepBusy(url: string, token: string, endless: Site): Promise<void> {
  const attributes = { starting_url: endless.url, max_pages: 5_000, rate_limit: 1 };
  await caller(url, token)("POST", "/reports", { data: { attributes } });
}

/** Creates one of everything through the API, and waits until its reports are complete. */
export async function seed(url: string, token: string, site: Site): Promise<Seed> {
  const call = caller(url, token);
  const create = async (path: string, attributes: object) =>
    (await call("POST", path, { data: { attributes } })) as Data;
  const first = async (path: string) => {
    const [one] = (await call("GET", path)) as Data[];
    if (!one) throw new Error(`${path} is empty: the seed is not what it should be.`);
    return one.id;
  };
  const muting = await create("/mutings", { url_match: site.origin, message: "obsolete" });
  const stores = {
    store_raw_html_checks: true,
    store_raw_a11y_checks: true,
    store_raw_link_checks: true,
    store_screenshot: true,
  };
  const checks = { perform_a11y_checks: true, perform_link_checks: true, store_incomplete_checks: true };
  const target = { starting_url: site.url, max_pages: 2, tags: "a,b" };
  const report = await create("/reports", { ...target, ...stores, ...checks });
  const plain = await create("/reports", target);
  for (const { id } of [report, plain]) await completed(call, id);
  const self = `/reports/${report.id}`;
  const page = await first(`${self}/web_pages?filter[url]=${encodeURIComponent(site.url)}`);
  const schedule = await create("/schedules", { ...target, periodicity: { every: "deploy" } });
  const guest = await create("/guest_accounts", { max_usage: 1_000 });
  const open = await create("/guest_accounts", { max_usage: 1_000 });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const share = await create("/share_links", { report_id: report.id, expires_at });
  return {
    reading: {
      report_id: report.id,
      web_page_id: page,
      html_issue_id: await first(`${self}/web_pages/${page}/html_issues`),
      a11y_issue_id: await first(`${self}/web_pages/${page}/a11y_issues`),
      link_issue_id: await first(`${self}/web_pages/${page}/link_issues`),
      common_html_issue_id: await first(`${self}/common_html_issues`),
      common_a11y_issue_id: await first(`${self}/common_a11y_issues`),
      common_link_issue_id: await first(`${self}/common_link_issues`),
      site_id: await first("/sites"),
      share_link_id: share.id,
      share_secret: String(share.attributes.secret),
      badge: String(schedule.attributes.badge_url).split("/").at(-1) ?? "",
      schedule_id: schedule.id,
      secret: String(schedule.attributes.deploy_hook_url).split("/").at(-1) ?? "",
      muting_id: muting.id,
      guest_account_id: guest.id,
      guest_token: open.id,
      api_token_id: (await create("/api_tokens", { name: "seed", scope: "read" })).id,
      basic_auth_id: (await create("/basic_auths", { host: "127.0.0.1", username: "u", password: "p" })).id,
    },
    rechecking: { report_id: plain.id, web_page_id: await first(`/reports/${plain.id}/web_pages`) },
  };
}

type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<unknown>;

function caller(url: string, token: string): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status}: ${text}`);
    return JSON.parse(text).data;
  };
}

async function completed(call: Call, id: string): Promise<void> {
  for (;;) {
    const report = (await call("GET", `/reports/${id}`, undefined, { prefer: "wait=10" })) as Data;
    if (report.attributes.phase === "Complete") return;
    if (report.attributes.phase === "Failed") throw new Error(`The seed failed: ${JSON.stringify(report.attributes)}`);
  }
}
