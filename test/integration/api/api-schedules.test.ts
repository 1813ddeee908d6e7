import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { listDevices } from "../../../src/browser/devices.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { annotations } from "../../../src/schema/resources.ts";
import { trackingParameters } from "../../../src/settings/values.ts";
import { accountWithToken, type Call, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { applySchedule, scheduleWorld } from "../../support/schedules.ts";

const URL_ = "https://example.com/";

describe("schedules over the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  /** A Sunday. */
  let now = new Date("2026-03-01T12:00:00Z");

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("secret"), now: () => now });
  });
  beforeEach(async () => {
    now = new Date("2026-03-01T12:00:00Z");
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const post = (attributes: object = {}, headers = {}) =>
    call("POST", "/schedules", {
      attributes: { starting_url: URL_, periodicity: { every: "day" }, ...attributes },
      headers,
    });
  async function create(attributes: object = {}) {
    const reply = await post(attributes);
    expect(reply.status, reply.text).to.equal(201);
    return reply.json.data;
  }
  const resourceOf = async (id: string) => {
    const { items } = await api.deps.cluster.list("Schedule");
    return items.find(({ metadata }) => metadata.uid === id);
  };

  it("are created with the specification's defaults, as a resource that belongs to the account", async () => {
    const reply = await post();
    expect(reply.status, reply.text).to.equal(201);
    const { data } = reply.json;
    expect(reply.headers.get("location")).to.equal(`${api.url}/api/v1/schedules/${data.id}`);
    const {
      deploy_hook_url: hook,
      badge_url: badge,
      next_run_at: next,
      inserted_at,
      updated_at,
      ...attributes
    } = data.attributes;
    expect(attributes).to.deep.equal({
      starting_url: URL_,
      initial_urls: [],
      exclusions: [],
      perform_a11y_checks: true,
      perform_html_checks: true,
      perform_link_checks: false,
      html_engine: "conformance",
      standard: "all",
      a11y_depth: "static",
      gate: null,
      deep_crawl: true,
      active_deadline_seconds: 0,
      prefer_canonical_urls: true,
      follow_frames: true,
      use_sitemaps: false,
      ...{ devices: [], follow_hash_routes: false, same_site: [], preview_hosts: [] },
      ...{ include_links: [], exclude_links: [], store_raw_link_checks: false },
      ...{ prepare: [], states: [], wait_for: null, hide: [] },
      ...{ include_globs: [], exclude_globs: [], page_timeout_seconds: 30, sign_in_seconds: 120, sign_in_tries: 3 },
      ignored_parameters: trackingParameters,
      dynamic_crawler: false,
      respect_robots: false,
      ...{ visit_actions: false, visit_forms: true, allow_posts: [] },
      user_agent: null,
      store_raw_html_checks: false,
      store_raw_a11y_checks: false,
      store_incomplete_checks: false,
      store_screenshot: false,
      basic_auth_id: null,
      device_rotated: false,
      max_pages: 100,
      rate_limit: 5,
      periodicity: { every: "day" },
      active: true,
      history_limit: 3,
      tags: [],
      shared: false,
      last_run_at: null,
    });
    for (const time of [next, inserted_at, updated_at]) expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(badge).to.match(new RegExp(`/api/v1/badges/schedule[.]${data.id}[.][\\w-]{22}$`));
    expect(hook).to.match(/\/api\/v1\/deploy_hooks\/svh_[\w-]{32}$/);
    expect(data.relationships).to.deep.equal({
      reports: { links: { related: `${api.url}/api/v1/reports?filter%5Bschedule_id%5D=${data.id}` } },
      device: { links: { related: `${api.url}/api/v1/devices/default` } },
    });
    for (const { links } of Object.values(data.relationships)) {
      const path = links.related.slice(`${api.url}/api/v1`.length);
      expect((await call("GET", path)).status, path).to.equal(200);
    }
    const resource = await resourceOf(data.id);
    expect(resource?.metadata.annotations).to.include({ [annotations.account]: accountId });
    expect((await call("GET", `/schedules/${data.id}`)).json.data).to.deep.equal(data);
  });

  it("accept every attribute, and pass it to the resource", async () => {
    const device = (await listDevices())[3]?.id;
    const data = await create({
      periodicity: { every: "week", weekday: "friday", at: "04:30" },
      initial_urls: "https://example.com/a\nhttps://example.com/sitemap.xml",
      exclusions: "/private\n/draft",
      max_pages: 7,
      rate_limit: 2,
      perform_html_checks: false,
      deep_crawl: false,
      prefer_canonical_urls: false,
      dynamic_crawler: true,
      store_raw_html_checks: true,
      store_raw_a11y_checks: true,
      store_incomplete_checks: true,
      store_screenshot: true,
      active: false,
      history_limit: 0,
      device_id: device,
      device_rotated: true,
      shared: true,
      tags: "one, two",
    });
    expect(data.attributes).to.deep.include({
      periodicity: { every: "week", weekday: "friday", at: "04:30" },
      initial_urls: ["https://example.com/a", "https://example.com/sitemap.xml"],
      exclusions: ["/private", "/draft"],
      max_pages: 7,
      perform_html_checks: false,
      active: false,
      history_limit: 0,
      next_run_at: null,
      shared: true,
      tags: ["one", "two"],
    });
    expect(data.relationships.device?.links.related).to.match(new RegExp(`/devices/${device}$`));
    expect((await resourceOf(data.id))?.spec).to.deep.include({
      storeRawHtmlChecks: true,
      storeRawA11yChecks: true,
      storeIncompleteChecks: true,
      storeScreenshot: true,
      deviceId: device,
      deviceRotated: true,
    });
  });

  it("run on deploys only if periodicity is null or says so; both are shown as null", async () => {
    for (const periodicity of [null, { every: "deploy" }]) {
      const { attributes } = await create({ periodicity });
      expect([attributes.periodicity, attributes.next_run_at]).to.deep.equal([null, null]);
    }
  });

  const wrong: [object, [string, string][]][] = [
    [{ starting_url: undefined }, [["required", "starting_url"]]],
    [{ starting_url: "example" }, [["invalid_format", "starting_url"]]],
    [{ periodicity: undefined }, [["required", "periodicity"]]],
    [{ periodicity: "day" }, [["invalid_type", "periodicity"]]],
    [{ periodicity: {} }, [["required", "periodicity/every"]]],
    [{ periodicity: { every: "hour" } }, [["not_allowed", "periodicity/every"]]],
    [{ periodicity: { every: "week", weekday: "Friday" } }, [["not_allowed", "periodicity/weekday"]]],
    [{ periodicity: { every: "day", weekday: "friday" } }, [["inconsistent", "periodicity/weekday"]]],
    [{ periodicity: { every: "month", monthday: 29 } }, [["out_of_range", "periodicity/monthday"]]],
    [{ periodicity: { every: "month", monthday: 0 } }, [["out_of_range", "periodicity/monthday"]]],
    [{ periodicity: { every: "month", monthday: "1" } }, [["invalid_type", "periodicity/monthday"]]],
    [{ periodicity: { every: "week", monthday: 1 } }, [["inconsistent", "periodicity/monthday"]]],
    [{ periodicity: { every: "day", at: "24:00" } }, [["invalid_format", "periodicity/at"]]],
    [{ periodicity: { every: "deploy", at: "04:00" } }, [["inconsistent", "periodicity/at"]]],
    [{ periodicity: { every: "day", "a/b~": 1 } }, [["unknown_attribute", "periodicity/a~1b~0"]]],
    [
      { periodicity: { every: "x", weekday: "x" }, max_pages: 0.5, nonsense: 1 },
      [
        ["unknown_attribute", "nonsense"],
        ["invalid_type", "max_pages"],
        ["not_allowed", "periodicity/every"],
        ["not_allowed", "periodicity/weekday"],
      ],
    ],
    [{ max_pages: 0 }, [["out_of_range", "max_pages"]]],
    [{ active: "yes" }, [["invalid_type", "active"]]],
    [{ perform_html_checks: false, perform_a11y_checks: false }, [["inconsistent", "perform_html_checks"]]],
    [{ store_incomplete_checks: true, perform_a11y_checks: false }, [["inconsistent", "store_incomplete_checks"]]],
    [{ device_id: "none" }, [["unknown_device", "device_id"]]],
    [{ basic_auth_id: "5f1ab0c4-6a0e-4c5d-9d1c-6c5f7d1f3a52" }, [["unknown_basic_auth", "basic_auth_id"]]],
    [
      { deploy_hook_url: "x", next_run_at: "x" },
      [
        ["unknown_attribute", "deploy_hook_url"],
        ["unknown_attribute", "next_run_at"],
      ],
    ],
  ];
  for (const [attributes, expected] of wrong)
    it(`refuse ${JSON.stringify(attributes, (_, value) => value ?? "(nothing)")}, and say where`, async () => {
      const pointers = (errors: { code: string; source?: Record<string, string> }[]) =>
        errors.map(({ code, source }) => `${code} ${source?.pointer}`).sort();
      const wanted = expected.map(([code, pointer]) => `${code} /data/attributes/${pointer}`).sort();
      const reply = await post(attributes);
      expect([reply.status, pointers(reply.json.errors)], reply.text).to.deep.equal([422, wanted]);
      if (Object.values(attributes).includes(undefined)) return;
      const { id } = await create();
      const patch = await call("PATCH", `/schedules/${id}`, { attributes });
      expect([patch.status, pointers(patch.json.errors)], patch.text).to.deep.equal([422, wanted]);
    });

  it("change in the given attributes, and in no others", async () => {
    const { id, attributes: before } = await create({ tags: "one", periodicity: { every: "week", weekday: "friday" } });
    now = new Date("2026-03-02T12:00:00Z");
    const changes: [object, object][] = [
      [{}, {}],
      [{ starting_url: "https://example.org/" }, { starting_url: "https://example.org/" }],
      [
        { max_pages: 3, rate_limit: 1 },
        { max_pages: 3, rate_limit: 1 },
      ],
      [{ tags: "two,three" }, { tags: ["two", "three"] }],
      [
        { tags: null, exclusions: "/x" },
        { tags: [], exclusions: ["/x"] },
      ],
      [
        { shared: true, deep_crawl: false },
        { shared: true, deep_crawl: false },
      ],
      [
        { periodicity: { every: "day", at: "13:00" } },
        { periodicity: { every: "day", at: "13:00" }, next_run_at: "2026-03-02T13:00:00" },
      ],
      [
        { periodicity: { every: "day", at: "11:00" } },
        { periodicity: { every: "day", at: "11:00" }, next_run_at: "2026-03-03T11:00:00" },
      ],
      [{ active: false }, { active: false, next_run_at: null }],
      [{ active: true }, { active: true, next_run_at: "2026-03-03T11:00:00" }],
      [{ periodicity: null }, { periodicity: null, next_run_at: null }],
    ];
    let expected = before;
    for (const [attributes, shown] of changes) {
      const reply = await call("PATCH", `/schedules/${id}`, { attributes });
      expect(reply.status, reply.text).to.equal(200);
      expected = { ...expected, ...shown, updated_at: reply.json.data.attributes.updated_at };
      expect(reply.json.data.attributes).to.deep.equal(expected);
    }
    expect((await call("GET", `/schedules/${id}`)).json.data.attributes).to.deep.equal(expected);
    expect((await resourceOf(id))?.spec).to.deep.include({ tags: [], periodicity: { every: "deploy" }, maxPages: 3 });
    expect((await call("PATCH", `/schedules/${id}`, { body: `{"data":{"id":"${randomUUID()}"}}` })).status).to.equal(
      409,
    );
    expect((await call("PATCH", `/schedules/${id}`, { body: '{"data":{"type":"report"}}' })).status).to.equal(409);
  });

  it("are deleted with 204, and gone after that", async () => {
    const { id, attributes } = await create();
    const hooked = (await api.as(undefined)("POST", pathOf(attributes.deploy_hook_url))).json.data;
    const report = (await call("GET", `/reports/${hooked.id}`)).json.data;
    const reply = await call("DELETE", `/schedules/${id}`);
    expect([reply.status, reply.text]).to.deep.equal([204, ""]);
    expect(await resourceOf(id)).to.equal(undefined);
    for (const [method, path] of [
      ["GET", `/schedules/${id}`],
      ["PATCH", `/schedules/${id}`],
      ["DELETE", `/schedules/${id}`],
      ["POST", `/schedules/${id}/deploy_hook`],
    ] as const) {
      const body = method === "PATCH" ? { attributes: { active: false } } : {};
      expect((await call(method, path, body)).status, `${method} ${path}`).to.equal(404);
    }
    expect((await call("GET", "/schedules")).json.meta.total).to.equal(0);
    expect((await api.as(undefined)("POST", pathOf(attributes.deploy_hook_url))).status).to.equal(404);
    // Its reports stay, without a link that leads nowhere.
    const kept = await call("GET", `/reports/${report.id}`);
    expect(kept.status).to.equal(200);
    expect([report, kept.json.data].map(({ relationships }) => relationships.schedule === undefined)).to.deep.equal([
      false,
      true,
    ]);
  });

  it("are listed newest first, by part of the URL and by tags, in pages", async () => {
    const made: string[] = [];
    for (const [url, tags] of [
      ["https://example.com/a", "x"],
      ["https://example.com/b", "x,y"],
      ["https://example.org/", "z"],
    ] as const) {
      const { id } = await create({ starting_url: url, tags });
      made.unshift(id);
      await database.db
        .updateTable("schedules")
        .set({ inserted_at: new Date(Date.UTC(2026, 0, made.length)) })
        .where("id", "=", id)
        .execute();
    }
    const [org, b, a] = made;
    const queries: [string, (string | undefined)[]][] = [
      ["", [org, b, a]],
      ["?filter[url]=EXAMPLE.com", [b, a]],
      ["?filter[tags][list]=x,y", [b, a]],
      ["?filter[tags][mode]=all&filter[tags][list]=x,y", [b]],
      ["?filter[tags][mode]=none&filter[tags][list]=y", [org, a]],
      ["?filter[url]=com&filter[tags][list]=y", [b]],
      ["?page[size]=2&page[number]=2", [a]],
    ];
    for (const [query, ids] of queries) {
      const { json } = await call("GET", `/schedules${query}`);
      expect(
        json.data.map(({ id }) => id),
        query,
      ).to.deep.equal(ids);
    }
    const { links, meta } = (await call("GET", "/schedules?page[size]=2")).json;
    expect([meta.total, links.prev, typeof links.next]).to.deep.equal([3, null, "string"]);
    expect((await call("GET", "/schedules?sort=url-asc")).status).to.equal(400);
  });

  it("belong to their account, or to a guest and its host", async () => {
    const { id, attributes } = await create();
    const other = await accountWithToken(database);
    const guest = await guestWithToken(database, accountId);
    const second = await guestWithToken(database, accountId);
    const own = await api.as(guest.token)("POST", "/schedules", {
      attributes: { starting_url: URL_, periodicity: { every: "day" } },
    });
    const guestsId = own.json.data.id;
    const requests = (ofId: string) =>
      [
        ["GET", `/schedules/${ofId}`, {}],
        ["PATCH", `/schedules/${ofId}`, { attributes: { active: false } }],
        ["DELETE", `/schedules/${ofId}`, {}],
        ["POST", `/schedules/${ofId}/deploy_hook`, {}],
      ] as const;
    for (const [ofId, tokens] of [
      [id, [other.token, guest.token]],
      [guestsId, [other.token, second.token]],
    ] as const)
      for (const token of tokens)
        for (const [method, path, options] of requests(ofId))
          expect((await api.as(token)(method, path, options)).status, `${method} ${path}`).to.equal(404);
    const seen = async (as: Call) => (await as("GET", "/schedules")).json.data.map((data) => data.id);
    expect(await seen(api.as(guest.token))).to.deep.equal([guestsId]);
    expect(await seen(api.as(second.token))).to.deep.equal([]);
    expect(await seen(api.as(other.token))).to.deep.equal([]);
    expect(await seen(call)).to.have.members([id, guestsId]);
    expect((await call("GET", `/schedules/${guestsId}`)).status).to.equal(200);
    for (const bad of ["0", "x", "%00", "__proto__"])
      expect((await call("GET", `/schedules/${bad}`)).status, bad).to.equal(404);
    // A guest's deploy makes a guest's report.
    const hook = pathOf(own.json.data.attributes.deploy_hook_url);
    const { data } = (await api.as(undefined)("POST", hook)).json;
    expect(JSON.stringify(data)).not.to.include(guest.guestToken);
    expect((await api.as(guest.token)("GET", `/reports/${data.id}`)).json.data.attributes.guest_token).to.equal(
      guest.guestToken,
    );
    expect((await api.as(undefined)("POST", pathOf(attributes.deploy_hook_url))).status).to.equal(202);
  });

  it("are the same whether applied to the cluster or posted", async () => {
    now = new Date();
    const posted = await create({ periodicity: { every: "week", weekday: "friday", at: "04:30" }, tags: "one" });
    const world = scheduleWorld(database);
    const applied = await applySchedule(api.deps.cluster, accountId, {
      periodicity: { every: "week", weekday: "friday", at: "04:30" },
      tags: ["one"],
    });
    world.at(now);
    await world.reconcileAll(applied);
    const { data } = (await call("GET", `/schedules/${applied.metadata.uid}`)).json;
    const changeKey = ({
      inserted_at: _,
      updated_at: __,
      deploy_hook_url: hook,
      badge_url: badge,
      ...rest
    }: Record<string, unknown>) => ({
      ...rest,
      ...{ hook: typeof hook, badge: typeof badge },
    });
    expect(changeKey(data.attributes)).to.deep.equal(changeKey(posted.attributes));
    // And they are changed and deleted alike.
    const path = `/schedules/${applied.metadata.uid}`;
    expect((await call("PATCH", path, { attributes: { tags: "two" } })).status).to.equal(200);
    expect((await resourceOf(applied.metadata.uid))?.spec.tags).to.deep.equal(["two"]);
    expect((await call("DELETE", path)).status).to.equal(204);
    await world.reconcileAll(applied);
    expect((await call("GET", path)).status).to.equal(404);
  });

  it("show the deploy hook only to tokens that may write", async () => {
    const { id } = await create();
    const { token } = await createToken(database.db, { accountId, name: "r", scope: "read" });
    for (const path of [`/schedules/${id}`, "/schedules"]) {
      const reply = await api.as(token)("GET", path);
      expect([reply.status, [reply.json.data].flat()[0]?.attributes.deploy_hook_url]).to.deep.equal([200, null]);
      expect(reply.text).not.to.include("svh_");
    }
  });

  it("are created once under one idempotency key, without storing the secret", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const [first, second] = [await post({}, headers), await post({}, headers)];
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect(second.json).to.deep.equal(first.json);
    expect((await post({ tags: "other" }, headers)).status).to.equal(422);
    expect((await call("GET", "/schedules")).json.meta.total).to.equal(1);
    const secret = String(first.json.data.attributes.deploy_hook_url).split("/").at(-1) ?? "";
    const stored = await Promise.all(
      (["idempotency_keys", "schedules", "cluster_objects"] as const).map((table) =>
        database.db.selectFrom(table).selectAll().execute(),
      ),
    );
    const bytes = (_: string, value: { type?: string; data?: number[] } | null) =>
      value?.type === "Buffer" ? Buffer.from(value.data ?? []).toString("latin1") : value;
    expect(JSON.stringify(stored, bytes)).not.to.include(secret);
    expect(JSON.stringify(api.logged)).not.to.include(secret);
  });
});

/** The path below /api/v1 of a hook's address. */
function pathOf(url: unknown): string {
  return String(url).replace(/^.*\/api\/v1/, "");
}
