import { expect } from "chai";
import { openPersonsBrowser, press } from "../support/web-browser.ts";
import { describeBasicAuth } from "./parts/basic-auth.ts";
import { describeNotifications } from "./parts/notifications.ts";
import { describeSignIn } from "./parts/sign-in.ts";
import { createNamespace, deleteNamespaces, getJson, helm, kubectl, poll, refusal } from "./support/commands.ts";
import {
  accountOf,
  host,
  type Installation,
  install,
  query,
  readSecret,
  remove,
  throughIngress,
  upgrade,
} from "./support/installation.ts";
import {
  applyReport,
  faultySite,
  findingsOf,
  getReport,
  listJobs,
  MAX_PAGES,
  MAX_RATE_LIMIT,
  postReport,
  type ReportObject,
  runningPod,
} from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const pages = faultySite(5);
/** A page whose links a script creates. */
const scripted = {
  "/scripted": `<!DOCTYPE html><html lang="en"><head><title>Scripted</title></head><body><h1>Scripted</h1><script>
    document.body.insertAdjacentHTML("beforeend", '<p><a href="/made">made</a></p>');</script></body></html>`,
  "/made": `<!DOCTYPE html><html lang="en"><head><title>Made</title></head><body><h1>Made</h1></body></html>`,
};

describe("reports on a cluster", () => {
  let installation: Installation;
  let token: string;
  let site: string;
  let longSite: string;
  const set = [
    ...["watchNamespaces={tenant,team}", "basicAuthSecrets.names={staging,members}"],
    ...["test.startingUrl=http://site.site.svc.cluster.local/", "deletionGraceSeconds=5"],
    ...["notifications.enabled=true", "notifications.secrets={tickets}"],
  ];

  before(async () => {
    for (const namespace of ["tenant", "team"]) await createNamespace(namespace);
    await createNamespace("site");
    await createNamespace("long-site");
    site = await deploySite("site", { ...pages, ...scripted });
    longSite = await deploySite("long-site", faultySite(200));
    installation = await install("reports", { set });
    token = await readSecret(installation, "first-token", "token");
  });
  after(async () => {
    await remove("reports");
    await deleteNamespaces("tenant", "team", "site", "long-site");
  });

  it("have the condition Passed when they pass their gate, and New and Fixed against the one before", async () => {
    const spec = { startingUrl: site, maxPages: MAX_PAGES, rateLimit: MAX_RATE_LIMIT };
    const wait = (name: string, timeout: string) => [
      ...["wait", "-n", installation.namespace, "--for=condition=Passed", `--timeout=${timeout}`],
      `report/${name}`,
    ];
    await applyReport(installation.namespace, "strict", { ...spec, gate: { maxErrors: 0 } });
    const strict = await poll(async () => {
      const { status } = await getReport(installation.namespace, "strict");
      return status?.conditions?.find(({ type, status: state }) => type === "Passed" && state !== "Unknown");
    });
    expect(strict).to.include({ status: "False", reason: "GateFailed" });
    expect(await refusal(wait("strict", "0"))).to.be.a("string");

    await applyReport(installation.namespace, "no-worse", { ...spec, gate: { maxNewErrors: 0 } });
    await kubectl(wait("no-worse", "200s"));
    const row = await kubectl(["get", "report/no-worse", "-n", installation.namespace, "--no-headers"]);
    expect(row).to.match(/^no-worse +\S+ +Complete +5 +\d+ +\d+ +0 +0 +True /);
  });

  it("can be started and watched by a person, in a browser through the ingress", async () => {
    const address = process.env.INGRESS_ADDRESS ?? "127.0.0.1:8088";
    const browser = await openPersonsBrowser({ args: [`--host-resolver-rules=MAP ${host()} ${address}`] });
    try {
      const page = await browser.person();
      await page.goto(`http://${host()}/`);
      await page.type("#field-token", token);
      await press(page, "button", "Sign in");
      await press(page, "a", "New report");
      await page.type("#field-starting_url", site);
      await press(page, "button", "Check the site");
      await page.evaluate(() => Object.assign(window, { stayed: true }));
      const ended = () =>
        !document.querySelector("[data-live]") && document.body.textContent?.includes("No limits set");
      await page.waitForFunction(ended, { timeout: 240_000 });
      expect(await page.evaluate(() => "stayed" in window)).to.equal(true);
      await press(page, "a", "Pages");
      expect(await page.$eval("main", (main) => main.textContent)).to.include(site);
      // The probes and metrics stay inside.
      for (const path of ["/metrics", "/readyz"]) expect((await throughIngress(path)).status).to.equal(404);
    } finally {
      await browser.close();
    }
  });

  it("are crawled by a browser when scripts create their pages", async () => {
    const starting_url = `${site}scripted`;
    const id = await postReport(token, { starting_url, rate_limit: MAX_RATE_LIMIT, dynamic_crawler: true });
    expect((await findingsOf(token, id)).pages).to.equal(2);
  });

  it("run in helm test", async () => {
    await helm(["test", installation.release, "--namespace", installation.namespace, "--timeout", "4m"]);
  });

  it("are refused in a namespace without an account's annotation, and run once it has one", async () => {
    await applyReport("tenant", "nobodys", { startingUrl: site, maxPages: 1, rateLimit: MAX_RATE_LIMIT });
    const refused = await poll(async () =>
      (await getReport("tenant", "nobodys")).status?.conditions?.find(({ reason }) => reason === "NoAccount"),
    );
    expect(refused.message).to.contain("sitevalidation.io/account");
    expect(await listJobs("tenant")).to.deep.equal([]);

    const account = await accountOf(installation);
    await kubectl(["annotate", "namespace", "tenant", `sitevalidation.io/account=${account}`]);
    await applyReport("tenant", "ours", { startingUrl: site, maxPages: 1, rateLimit: MAX_RATE_LIMIT });
    await kubectl(["wait", "-n", "tenant", "--for=condition=Complete", "--timeout=200s", "report/ours"]);
    // There is no event for a namespace's annotation: the controller looks for it from time to time.
    await kubectl(["wait", "-n", "tenant", "--for=condition=Complete", "--timeout=200s", "report/nobodys"]);
    expect(await listJobs("tenant"), "Jobs run in the release's namespace only").to.deep.equal([]);
  });

  it("are refused when they ask for more than the operator allows, and so are Schedules", async () => {
    const account = await accountOf(installation);
    await kubectl(["annotate", "namespace", "tenant", `sitevalidation.io/account=${account}`, "--overwrite"]);
    const spec = { startingUrl: site, maxPages: 0, rateLimit: MAX_RATE_LIMIT + 1 };
    await applyReport("tenant", "greedy", spec);
    const schedule = {
      apiVersion: "sitevalidation.io/v1",
      kind: "Schedule",
      metadata: { name: "greedy" },
      spec: { ...spec, periodicity: { every: "day" } },
    };
    await kubectl(["create", "-n", "tenant", "-f", "-"], JSON.stringify(schedule));
    for (const resource of ["reports.sitevalidation.io", "schedules.sitevalidation.io"]) {
      const refused = await poll(async () =>
        (await getJson<ReportObject>([resource, "greedy", "-n", "tenant"])).status?.conditions?.find(
          ({ reason }) => reason === "LimitExceeded",
        ),
      );
      expect(refused.message).to.contain(`maxPages is 0, which means no limit; it must be from 1 to ${MAX_PAGES}.`);
      expect(refused.message).to.contain(`it must be from 1 to ${MAX_RATE_LIMIT}.`);
    }
    const jobs = await listJobs(installation.namespace);
    expect(jobs.filter((name) => name.startsWith("greedy"))).to.deep.equal([]);
    await kubectl(["delete", "report/greedy", "schedule/greedy", "-n", "tenant", "--timeout=60s"]);
  });

  it("are created by a Schedule of another namespace when it is due", async () => {
    const account = await accountOf(installation);
    await kubectl(["annotate", "namespace", "tenant", `sitevalidation.io/account=${account}`, "--overwrite"]);
    // The next minute that does not end before the controller knows the Schedule.
    const at = new Date(Math.ceil((Date.now() + 10_000) / 60_000) * 60_000).toISOString().slice(11, 16);
    const spec = { startingUrl: site, maxPages: 2, rateLimit: MAX_RATE_LIMIT, periodicity: { every: "day", at } };
    const schedule = { apiVersion: "sitevalidation.io/v1", kind: "Schedule", metadata: { name: "daily" }, spec };
    await kubectl(["create", "-n", "tenant", "-f", "-"], JSON.stringify(schedule));

    const made = await poll(async () => {
      const ofSchedules = ["reports.sitevalidation.io", "-n", "tenant", "-l", "sitevalidation.io/schedule"];
      return (await getJson<{ items: ReportObject[] }>(ofSchedules)).items[0];
    });
    const { name } = made.metadata;
    await kubectl(["wait", "-n", "tenant", "--for=condition=Complete", "--timeout=200s", `report/${name}`]);
    const { annotations } = (await getReport("tenant", name)).metadata;
    expect((await findingsOf(token, annotations?.["sitevalidation.io/id"] ?? "")).pages).to.equal(2);
    expect(await listJobs("tenant"), "Jobs run in the release's namespace only").to.deep.equal([]);
    await kubectl(["delete", "schedule/daily", "-n", "tenant", "--timeout=60s"]);
  });

  it("get more checkers as their queue grows, and have each page checked once", async () => {
    const { namespace } = installation;
    const spec = {
      startingUrl: longSite,
      maxPages: 60,
      rateLimit: MAX_RATE_LIMIT,
      performA11yChecks: true,
      performHtmlChecks: false,
    };
    await applyReport(namespace, "queue", spec);
    const { uid } = (await getReport(namespace, "queue")).metadata;
    const selector = `sitevalidation.io/report=${uid},sitevalidation.io/stage=a11y-checker`;
    const items = async (kind: string) =>
      (await getJson<{ items: { spec: { parallelism?: number } }[] }>([kind, "-n", namespace, "-l", selector])).items;
    await poll(async () => ((await items("jobs"))[0]?.spec.parallelism ?? 0) > 1);
    await poll(async () => (await items("pods")).length > 1);
    const { checks } = await findingsOf(token, uid);
    expect(checks.a11y?.status).to.deep.equal({ pending: 0, checked: 60, failed: 0 });
  });

  it("end with what they have when they are cancelled with kubectl", async () => {
    const { namespace } = installation;
    await applyReport(namespace, "cancelled", { startingUrl: longSite, maxPages: MAX_PAGES, rateLimit: 2 });
    const { uid } = (await getReport(namespace, "cancelled")).metadata;
    await runningPod(namespace, `sitevalidation.io/report=${uid},sitevalidation.io/stage=crawler`);
    const change = '{"spec": {"cancelled": true}}';
    await kubectl(["patch", "report/cancelled", "-n", namespace, "--type=merge", "--patch", change]);
    const ended = "--for=jsonpath={.status.completionTime}";
    await kubectl(["wait", "-n", namespace, ended, "report/cancelled", "--timeout=120s"]);
    const { conditions } = (await getReport(namespace, "cancelled")).status ?? {};
    expect(conditions?.some(({ status, reason }) => status === "True" && reason === "Cancelled")).to.equal(true);
    await poll(async () => (await listJobs(namespace)).every((name) => !name.startsWith("cancelled-")));
  });

  it("are crawled once, whatever id and labels somebody gives them while they run", async () => {
    const report = ["reports.sitevalidation.io/edited", "-n", "tenant"];
    await applyReport("tenant", "edited", { startingUrl: longSite, maxPages: MAX_PAGES, rateLimit: 2 });
    const { uid } = (await getReport("tenant", "edited")).metadata;
    const pods = `sitevalidation.io/report=${uid},sitevalidation.io/stage=crawler`;
    const pod = await runningPod(installation.namespace, pods);
    for (let edit = 1; edit <= 5; edit++) {
      const id = `00000000-0000-4000-8000-00000000000${edit}`;
      await kubectl(["annotate", "--overwrite", ...report, `sitevalidation.io/id=${id}`]);
      await kubectl(["label", "--overwrite", ...report, `sitevalidation.io/report=${id}`]);
      await poll(
        async () => (await getReport("tenant", "edited")).metadata.annotations?.["sitevalidation.io/id"] === uid,
      );
    }
    expect(await query(installation, `select id from reports where uid = '${uid}'`)).to.equal(uid);
    const jobs = (await listJobs(installation.namespace)).filter((name) => name.includes("edited"));
    expect(jobs.filter((name) => name.includes("crawler"))).to.have.length(1);
    expect(await runningPod(installation.namespace, pods)).to.equal(pod);

    await kubectl(["delete", ...report, "--timeout=60s"]);
    await poll(async () => (await listJobs(installation.namespace)).every((name) => !name.includes("edited")));
    const unfinished = "select count(*) from reports where completed_at is null and deleted_at is null";
    expect(await query(installation, `${unfinished} and starting_url = '${longSite}'`)).to.equal("0");
  });

  it("keep the conditions that others apply", async () => {
    await applyReport("tenant", "shared-status", { startingUrl: site, maxPages: MAX_PAGES, rateLimit: 2 });
    const report = ["reports.sitevalidation.io/shared-status", "-n", "tenant"];
    await kubectl(["wait", ...report, "--for=jsonpath={.status.phase}=Crawling", "--timeout=60s"]);
    const times = { observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };
    const theirs = {
      type: "Approved",
      status: "True",
      reason: "ByAnother",
      message: "Somebody approved it.",
      ...times,
    };
    const applied = {
      ...{ apiVersion: "sitevalidation.io/v1", kind: "Report", metadata: { name: "shared-status" } },
      status: { conditions: [theirs] },
    };
    await kubectl(
      ["apply", "--server-side", "--subresource=status", "--field-manager=another", "-n", "tenant", "-f", "-"],
      JSON.stringify(applied),
    );
    await kubectl(["wait", ...report, "--for=condition=Complete", "--timeout=200s"]);
    const conditions = (await getReport("tenant", "shared-status")).status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === "Approved")).to.deep.equal(theirs);
    expect(new Set(conditions.map(({ type }) => type)).size).to.equal(conditions.length);
  });

  it("leave no Job and nothing visible when they are deleted while they run", async () => {
    const { namespace } = installation;
    await applyReport(namespace, "deleted", { startingUrl: longSite, maxPages: MAX_PAGES, rateLimit: 2 });
    const { uid } = (await getReport(namespace, "deleted")).metadata;
    await runningPod(namespace, `sitevalidation.io/report=${uid},sitevalidation.io/stage=crawler`);
    await kubectl(["delete", "report/deleted", "-n", namespace, "--timeout=60s"]);
    await poll(async () => (await listJobs(namespace)).every((name) => !name.startsWith("deleted-")));
    expect((await throughIngress(`/api/v1/reports/${uid}`, { token })).status).to.equal(404);

    // After deletionGraceSeconds its rows are purged, and no other report's.
    await poll(async () => (await query(installation, `select id from reports where id = '${uid}'`)) === "");
    for (const table of ["web_pages", "frontier", "excluded_urls"])
      expect(await query(installation, `select count(*) from ${table} where report_id = '${uid}'`), table).to.equal(
        "0",
      );
    expect(Number(await query(installation, "select count(*) from reports"))).to.be.greaterThan(0);
  });

  it("have a month with a PDF, which a Job prints that reaches nothing but its row", async () => {
    const path = `/api/v1/months/${new Date().toISOString().slice(0, 7)}/file`;
    expect((await throughIngress(path, { method: "POST", token })).status).to.equal(201);
    await poll(async () => {
      const { body } = await throughIngress<{ data: { attributes: { state: string } } }>(path, { token });
      if (body.data.attributes.state === "failed") throw new Error(JSON.stringify(body.data.attributes));
      return body.data.attributes.state === "ready";
    });
    const size = await query(installation, "select pdf is not null and length(pdf) > 10000 from month_files");
    expect(size).to.equal("t");
    const printers = ["jobs", "-n", installation.namespace, "-l", "sitevalidation.io/printer"];
    await poll(async () => (await getJson<{ items: unknown[] }>(printers)).items.length === 0);
  });

  describeNotifications(() => ({ installation, token }));
  describeSignIn(() => ({ installation }));
  describeBasicAuth(() => ({ installation, token }), set);

  // The last one.
  describe("whose installation is removed", () => {
    it("stay, with their rows, when the release is uninstalled while one runs", async () => {
      const { namespace, release } = installation;
      await applyReport(namespace, "left", { startingUrl: longSite, maxPages: MAX_PAGES, rateLimit: 2 });
      const { uid } = (await getReport(namespace, "left")).metadata;
      await runningPod(namespace, `sitevalidation.io/report=${uid},sitevalidation.io/stage=crawler`);

      await helm(["uninstall", release, "--namespace", namespace, "--timeout", "4m"]);
      expect(await listJobs(namespace)).to.deep.equal([]);
      expect((await getReport(namespace, "left")).metadata.finalizers ?? []).to.deep.equal([]);

      // The same release, installed again, finds its database with the earlier rows.
      await upgrade(installation);
      token = await readSecret(installation, "first-token", "token");
      expect((await throughIngress(`/api/v1/reports/${uid}`, { token })).status).to.equal(200);
      // Without finalizers it is gone at once.
      expect(await refusal(["delete", "report/strict", "-n", namespace, "--timeout=60s"])).to.equal(undefined);
    });
  });
});
