import { expect } from "chai";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { accountWithToken, type Call, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings } from "../../support/findings.ts";

type Links = Record<string, unknown>;
type Resource = { id: string; relationships?: Record<string, { links: Links }> };

describe("the links of the API's documents", () => {
  let database: TestDatabase;
  let api: TestApi;
  let host: { accountId: string; token: string };
  let guest: { guestToken: string; token: string };
  let reports: { host: string; guest: string; scheduled: string };

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("a secret of this test") });
    host = await accountWithToken(database);
    guest = await guestWithToken(database, host.accountId);
    const make = async (token: string) => {
      const call = api.as(token);
      const create = async (path: string, attributes: object) => {
        const reply = await call("POST", path, { attributes });
        expect(reply.status, reply.text).to.equal(201);
        return reply.json.data.id;
      };
      const starting_url = "https://example.com/";
      const device_id = (await call("GET", "/devices?page[size]=1")).json.data[0]?.id;
      const attributes = { starting_url, shared: true, perform_a11y_checks: true };
      const report = await create("/reports", { ...attributes, device_id });
      await complete(report);
      await create("/mutings", { url_match: "example", message: "obsolete" });
      await create("/api_tokens", { name: "another" });
      await create("/basic_auths", { host: "example.com", username: "ada", password: "secret" });
      const schedule = await create("/schedules", { ...attributes, device_id, periodicity: { every: "day" } });
      const scheduled = await create("/reports", attributes);
      await database.db.updateTable("reports").set({ schedule_id: schedule }).where("id", "=", scheduled).execute();
      await complete(scheduled);
      return { report, scheduled };
    };
    const made = await make(host.token);
    reports = { host: made.report, scheduled: made.scheduled, guest: (await make(guest.token)).report };
    await api.as(host.token)("POST", "/guest_accounts", { attributes: { max_usage: 5 } });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  async function complete(id: string): Promise<void> {
    await insertFindings(database.db, id);
    const ended = { phase: "Complete", crawl_state: "ended", completed_at: new Date() } as const;
    await database.db.updateTable("reports").set(ended).where("id", "=", id).execute();
  }

  type Step = { path: string; name: string; from: string };
  /** The success criteria whose links were followed in the lists of some report, by whomever. */
  const followed = new Set<string>();

  /**
   * A report has dozens of criteria, whose links differ only in the tag by which they filter. Each one's are followed
   * once, and those of a list's first in every report, by everybody.
   */
  function isFollowed({ id }: Resource, at: number, path: string): boolean {
    if (!/\/criteria\b/.test(path)) return true;
    const isNew = !followed.has(id);
    followed.add(id);
    return isNew || at === 0;
  }

  /** Requests one path, and returns all links of the response. */
  async function visit(call: Call, { path, name, from }: Step): Promise<[name: string, url: unknown][]> {
    const reply = await call("GET", path);
    expect(reply.status, `${name} of ${from}: ${path}: ${reply.text}`).to.equal(200);
    const { data, links } = reply.json as { data?: Resource | Resource[]; links?: Links };
    // A list with cursors leads forward only.
    const numbered = path.includes("/findings") ? [] : ["prev", "last"];
    if (Array.isArray(data)) expect(links, path).to.have.all.keys("self", "first", "next", ...numbered);
    const related = [data ?? []]
      .flat()
      .filter((resource, at) => isFollowed(resource, at, path))
      .flatMap(({ relationships }) => Object.entries(relationships ?? {}))
      .flatMap(([relation, value]) => Object.values(value.links).map((url): [string, unknown] => [relation, url]));
    return [...Object.entries(links ?? {}).filter(([, url]) => url !== null), ...related];
  }

  /** Follows every link, starting at the given paths. @returns the paths of all documents found, without query */
  async function walk(call: Call, paths: readonly string[]): Promise<Set<string>> {
    const base = `${api.url}/api/v1`;
    const known = new Set(paths);
    const met = new Set<string>();
    const waiting = paths.map((path): Step => ({ path, name: "start", from: "" }));
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const links = await visit(call, step);
      met.add(step.path.split("?")[0] ?? step.path);
      for (const [name, url] of links) {
        expect(String(url), `${name} of ${step.path}`).to.match(new RegExp(`^${base}/`));
        const path = String(url).slice(base.length);
        if (!known.has(path)) waiting.push({ path, name, from: step.path });
        known.add(path);
      }
    }
    return met;
  }

  const lists = [
    ...["/reports", "/reports?page[size]=1", "/reports?created_by=guests", "/schedules", "/mutings"],
    ...["/guest_accounts", "/api_tokens", "/basic_auths", "/devices?page[size]=50", "/devices/default", "/usage"],
    "/site_rules",
  ];
  const below = [
    ...[
      "web_pages",
      "common_html_issues",
      "common_a11y_issues",
      "common_link_issues",
      "findings",
      "components",
      "mutings",
      "excluded_urls",
    ],
  ];

  it("resolve for the host, also on its guests' resources", async () => {
    const met = await walk(api.as(host.token), lists);
    for (const id of Object.values(reports)) {
      expect(met).to.include(`/reports/${id}`);
      for (const list of below) expect(met).to.include(`/reports/${id}/${list}`);
    }
    expect(met).to.include(`/guest_accounts/${guest.guestToken}`);
    expect([...met].filter((path) => /^\/schedules\//.test(path))).to.have.length(2);
    expect([...met].filter((path) => /\/screenshot$/.test(path))).to.have.length(4);
  });

  it("resolve for a guest", async () => {
    const met = await walk(api.as(guest.token), lists);
    expect(met).to.include(`/reports/${reports.guest}`).and.not.include(`/reports/${reports.host}`);
    expect(met).to.include(`/guest_accounts/${guest.guestToken}`);
  });

  it("resolve on all that a deleted guest leaves behind", async () => {
    const gone = await guestWithToken(database, host.accountId);
    const create = async (path: string, attributes: object) => {
      const reply = await api.as(gone.token)("POST", path, { attributes });
      expect(reply.status, reply.text).to.equal(201);
      return `${path}/${reply.json.data.id}`;
    };
    const starting_url = "https://example.com/";
    const left = [
      await create("/reports", { starting_url }),
      await create("/schedules", { starting_url, periodicity: { every: "day" } }),
      await create("/mutings", { url_match: "example", message: "obsolete" }),
      await create("/basic_auths", { host: "example.com", username: "ada", password: "secret" }),
    ];
    await complete(String(left[0]).slice("/reports/".length));
    await api.as(host.token)("DELETE", `/guest_accounts/${gone.guestToken}`);
    const met = await walk(api.as(host.token), left);
    expect(met).to.include.members(left);
    expect(met).not.to.include(`/guest_accounts/${gone.guestToken}`);
    await walk(api.as(host.token), ["/mutings", "/basic_auths"]);
  });

  it("resolve on a schedule's report after the schedule was deleted", async () => {
    const attributes = { starting_url: "https://example.com/", periodicity: { every: "day" } };
    const schedule = (await api.as(host.token)("POST", "/schedules", { attributes })).json.data.id;
    const report = await api.as(host.token)("POST", "/reports", {
      attributes: { starting_url: attributes.starting_url },
    });
    const { id } = report.json.data;
    await database.db.updateTable("reports").set({ schedule_id: schedule }).where("id", "=", id).execute();
    await api.as(host.token)("DELETE", `/schedules/${schedule}`);
    await walk(api.as(host.token), [`/reports/${id}`]);
  });

  it("resolve on shared reports without credentials, and lead nowhere else", async () => {
    for (const id of Object.values(reports)) {
      const met = await walk(api.as(undefined), [`/reports/${id}`]);
      expect([...met].filter((path) => !path.startsWith(`/reports/${id}`))).to.deep.equal([]);
      for (const list of below) expect(met).to.include(`/reports/${id}/${list}`);
    }
  });

  it("lead to a screenshot exactly where its report may be read", async () => {
    const { id } = (await api.as(host.token)("POST", "/reports", { attributes: { starting_url: "https://e.com/" } }))
      .json.data;
    const { pageIds } = await insertFindings(database.db, id);
    const path = `/reports/${id}/web_pages/${pageIds[0]}/screenshot`;
    const other = await accountWithToken(database);
    const statuses = async () =>
      Promise.all(
        [host.token, other.token, guest.token, undefined].map(
          async (token) => (await api.as(token)("GET", path)).status,
        ),
      );
    expect(await statuses()).to.deep.equal([200, 404, 404, 401]);
    await api.as(host.token)("PATCH", `/reports/${id}`, { attributes: { shared: true } });
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
  });
});
