import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { Reply } from "./client.ts";
import type { Caller, Target } from "./rule.ts";

/** The things that rules refer to by names in braces. */
export type Prepared = { things: Map<string, string>; tokens: Record<Caller, string | undefined> };

/**
 * Prepares what the rules are about, through the API itself:
 * `{report}` the fixture site with both engines and everything stored; `{two}`, `{two_and_one}`
 * and `{three}` one page each, named after their HTML errors and warnings; `{spare}` to be
 * changed; `{linked}` with link checks alone; `{guest}` a guest account of one credit, and its `{guest_report}` of two pages.
 */
export async function prepare(target: Target): Promise<Prepared> {
  const run = `contract-${randomBytes(4).toString("hex")}`;
  const { siteUrl: site, baseUrl } = target;
  const things = new Map([
    ["run", run],
    ["site", site],
    ["domain", new URL(site).hostname],
    ["site_host", new URL(site).host],
    ["base", `${baseUrl}/api/v1`],
    ["unknown_uuid", "00000000-0000-4000-8000-000000000000"],
  ]);
  const post = async (path: string, attributes: object, token: string | undefined = target.token) => {
    const reply = await target.send({
      method: "POST",
      path: `/api/v1${path}`,
      headers: {
        "Content-Type": "application/vnd.api+json",
        ...(token !== "" && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ data: { attributes } }),
    });
    expect(reply.status, `POST ${path}: ${reply.text}`).to.equal(201);
    return reply.json.data;
  };
  const both = {
    perform_a11y_checks: true,
    store_incomplete_checks: true,
    rate_limit: 25,
  };
  const one = { ...both, max_pages: 1, deep_crawl: false };
  const reports: [name: string, attributes: object, token?: string][] = [
    [
      "report",
      {
        ...both,
        starting_url: site,
        exclusions: "/private/\n/none/",
        initial_urls: `${site}about`,
        tags: `${run}, ${run}-a`,
        store_raw_html_checks: true,
        store_raw_a11y_checks: true,
        store_screenshot: true,
      },
    ],
    ["two", { ...one, starting_url: `${site}sort/two`, tags: `${run},${run}-a,${run}-b` }],
    ["two_and_one", { ...one, starting_url: `${site}sort/two-and-one`, tags: `${run},${run}-b` }],
    ["three", { ...one, starting_url: `${site}sort/three`, tags: run }],
    [
      "linked",
      {
        ...{ starting_url: site, rate_limit: 25, exclusions: "/private/", perform_html_checks: false },
        ...{ perform_link_checks: true, store_raw_link_checks: true },
        // One issue, because those that are equally frequent are in any order.
        exclude_links: "*.png\n/about\nhttps://elsewhere.example/**",
      },
    ],
    ["spare", { starting_url: site, rate_limit: 25, exclusions: "/private/" }],
  ];
  const guest = await post("/guest_accounts", { max_usage: 1 });
  const guestToken = (await post(`/invitations/${guest.id}`, { name: "A guest", email: "guest@example.com" }, ""))
    .attributes.token;
  things.set("guest", guest.id);
  const ofGuest = { starting_url: site, rate_limit: 25, max_pages: 2, exclusions: "/private/\n/missing", tags: run };
  reports.push(["guest_report", ofGuest, guestToken]);
  const reader = await post("/api_tokens", { name: "reader", scope: "read" });
  const ofStranger = { starting_url: `${site}clean`, max_pages: 1, deep_crawl: false, rate_limit: 25, tags: run };
  const other = await post("/reports", ofStranger, target.strangersToken);
  things.set("strangers_report", other.id);
  await Promise.all(
    reports.map(async ([name, attributes, token]) => {
      things.set(name, (await post("/reports", attributes, token)).id);
    }),
  );
  const get = async (path: string) => {
    const headers = { Authorization: `Bearer ${target.token}` };
    return target.send({ method: "GET", path: `/api/v1${path}`, headers });
  };
  for (const [name] of reports) await completed(() => get(`/reports/${things.get(name)}`));

  const first = async (name: string, path: string) => {
    const { text, json } = await get(path);
    const id: unknown = json?.data?.[0]?.id;
    if (typeof id !== "string") throw new Error(`There is no ${name} at ${path}: ${text}`);
    things.set(name, id);
  };
  const report = `/reports/${things.get("report")}`;
  const [html, a11y] = ["common_html_issue", "common_a11y_issue"];
  await first("page", `${report}/web_pages`);
  await first("about", `${report}/web_pages?filter[url]=/about`);
  await first("missing", `${report}/web_pages?filter[url]=/missing`);
  await first("two_page", `/reports/${things.get("two")}/web_pages`);
  await first("spare_page", `/reports/${things.get("spare")}/web_pages`);
  await first("spare_about", `/reports/${things.get("spare")}/web_pages?filter[url]=/about`);
  await first("linked_page", `/reports/${things.get("linked")}/web_pages`);
  await first("link_issue", `/reports/${things.get("linked")}/web_pages/${things.get("linked_page")}/link_issues`);
  await first("common_link_issue", `/reports/${things.get("linked")}/common_link_issues`);
  await first("html_issue", `${report}/web_pages/${things.get("page")}/html_issues`);
  await first("a11y_issue", `${report}/web_pages/${things.get("page")}/a11y_issues`);
  await first(html, `${report}/common_html_issues?filter[message]=alt`);
  await first("center", `${report}/common_html_issues?filter[message]=center`);
  await first(a11y, `${report}/common_a11y_issues?filter[help]=alternative`);
  await first("lang", `${report}/common_a11y_issues?filter[help]=lang`);
  return {
    things,
    tokens: {
      host: target.token,
      reader: reader.attributes.token,
      guest: guestToken,
      stranger: target.strangersToken,
      anonymous: undefined,
    },
  };
}

/** Waits for the end of a report. */
async function completed(read: () => Promise<Reply>): Promise<void> {
  for (;;) {
    const { json, text } = await read();
    const { phase } = json.data.attributes;
    if (phase === "Complete") return;
    if (phase === "Failed") throw new Error(`The prepared report failed: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100).unref());
  }
}
