import { expect } from "chai";
import { sql } from "kysely";
import { type Cluster, ClusterError } from "../../../src/cluster/port.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { annotations, type ScheduleResource } from "../../../src/schema/resources.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { startController } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

const URL_ = "https://example.com/";

describe("deploy hooks", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let anybody: Call;
  let token: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("secret") });
    anybody = api.as(undefined);
  });
  beforeEach(async () => {
    token = (await accountWithToken(database)).token;
    call = api.as(token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  async function create(attributes: object = {}) {
    const { json } = await call("POST", "/schedules", {
      attributes: { starting_url: URL_, periodicity: null, tags: "deploy", ...attributes },
    });
    return { id: json.data.id, hook: pathOf(json.data.attributes.deploy_hook_url) };
  }

  it("start a report without any other credential, whatever the body, and respond with 202", async () => {
    const bodies: { body?: string; headers?: Record<string, string> }[] = [
      {},
      { body: '{"ref":"main"}', headers: { "content-type": "application/json" } },
      { body: "payload=%7B", headers: { "content-type": "application/x-www-form-urlencoded" } },
      { body: "\0no json", headers: { "content-type": "application/vnd.api+json", authorization: "Bearer wrong" } },
    ];
    for (const options of bodies) {
      const { id, hook } = await create();
      const reply = await anybody("POST", hook, options);
      expect(reply.status, reply.text).to.equal(202);
      const { data, meta } = reply.json;
      expect(meta).to.deep.include({ queued: false });
      expect(data.attributes).to.deep.include({
        starting_url: URL_,
        phase: "Pending",
        tags: ["deploy"],
        max_pages: 100,
      });
      expect(reply.headers.get("location")).to.equal(`${api.url}/api/v1/reports/${data.id}`);
      expect(data.relationships.schedule?.links.related).to.equal(`${api.url}/api/v1/schedules/${id}`);
      const { basic_auth_id, bytes, changes, sign_in_pictures, ...shown } = (await call("GET", `/reports/${data.id}`))
        .json.data.attributes;
      // The caller of a hook sees what readers of a shared report see.
      const owned = { basic_auth_id, bytes, changes, sign_in_pictures };
      expect(owned).to.deep.equal({ basic_auth_id: null, bytes: 0, changes: [], sign_in_pictures: [] });
      expect(shown).to.deep.equal(data.attributes);
      const listed = await call("GET", `/reports?filter[schedule_id]=${id}`);
      expect(listed.json.data.map((report) => report.id)).to.deep.equal([data.id]);
    }
  });

  it("refuse a body that names another starting URL, in whatever form, and start nothing", async () => {
    const { id, hook } = await create();
    const other = "https://other.example/";
    const bodies = [
      { body: JSON.stringify({ data: { attributes: { starting_url: other } } }) },
      { body: JSON.stringify({ starting_url: other }), headers: { "content-type": "application/json" } },
      { body: `starting_url=${other}`, headers: { "content-type": "application/x-www-form-urlencoded" } },
    ];
    for (const options of bodies) {
      const { status, json } = await anybody("POST", hook, options);
      expect([status, json.errors[0]?.code, json.errors[0]?.source], options.body).to.deep.equal([
        422,
        "unknown_attribute",
        { pointer: "/data/attributes/starting_url" },
      ]);
      expect(json.errors[0]?.detail).to.include("starting_url cannot be set here");
      expect((await anybody("POST", "/deploy_hooks/svh_wrong", options)).status).to.equal(404);
    }
    expect((await call("GET", `/reports?filter[schedule_id]=${id}`)).json.meta.total).to.equal(0);
    expect((await anybody("POST", hook, { body: "x".repeat(2_000_000) })).status).to.equal(202);
  });

  it("check a preview on a host that the schedule names, compared with the schedule's last whole run", async () => {
    const { id, hook } = await create({ preview_hosts: "pr-*.example.com", max_pages: 7 });
    const run = (await anybody("POST", hook)).json.data;
    await sql`update reports set phase = 'Complete', crawl_state = 'ended', completed_at = now() where id = ${run.id}`.execute(
      database.db,
    );
    await sql`update check_counts set checked = 1 where report_id = ${run.id} and kind = 'html'`.execute(database.db);
    const preview = async (url: unknown) =>
      anybody("POST", hook, {
        ...{ body: JSON.stringify({ starting_url: url }), headers: { "content-type": "application/json" } },
      });
    const reply = await preview("https://pr-12.example.com/docs/");
    expect(reply.status, reply.text).to.equal(202);
    const { data, meta } = reply.json;
    expect(data.attributes).to.deep.include({
      starting_url: "https://pr-12.example.com/docs/",
      ...{ base_id: run.id, max_pages: 7, phase: "Pending", tags: ["deploy"] },
    });
    expect(meta).to.deep.include({ queued: false });
    // It is no run of the schedule, and belongs to the schedule's owner.
    expect((await call("GET", `/reports?filter[schedule_id]=${id}`)).json.meta.total).to.equal(1);
    expect((await call("GET", `/reports/${data.id}`)).status).to.equal(200);
    for (const [url, code] of [
      ["https://example.com/", "not_allowed"],
      ["https://pr-1.evil.example.com/", "not_allowed"],
      ["https://pr-1.example.com:8443/", "not_allowed"],
      ["https://pr-1.example.com.evil.test/", "not_allowed"],
      ["https://user:secret@pr-1.example.com/", "invalid_format"],
      ["no URL", "invalid_format"],
      [7, "invalid_type"],
      [[[["x"]]], "invalid_type"],
    ] as const) {
      const refused = await preview(url);
      expect([refused.status, refused.json.errors?.[0]?.code], String(url)).to.deep.equal([422, code]);
      expect(refused.json.errors[0]?.source).to.deep.equal({ pointer: "/data/attributes/starting_url" });
    }
    await call("PATCH", `/schedules/${id}`, { attributes: { active: false } });
    expect((await preview("https://pr-13.example.com/")).status).to.equal(409);
  });

  it("answer with the address of a badge, which shows the result to whoever has it", async () => {
    const { id, hook } = await create();
    const { json } = await anybody("POST", hook);
    const reportId = json.data.id;
    const ofReport = pathOf(String((json.meta as unknown as { badge_url: string }).badge_url));
    const ofSchedule = pathOf(String((await call("GET", `/schedules/${id}`)).json.data.attributes.badge_url));
    const shown = async (path: string) => {
      const { status, text, headers } = await anybody("GET", path);
      return [status, headers.get("content-type"), /<title>(.*?)<\/title>/.exec(text)?.[1]];
    };
    for (const path of [ofReport, ofSchedule])
      expect(await shown(path)).to.deep.equal([200, "image/svg+xml", "site check: no result yet"]);
    await sql`update reports set phase = 'Complete', crawl_state = 'ended', completed_at = now(), passed = false where id = ${reportId}`.execute(
      database.db,
    );
    await sql`update check_counts set checked = 1, errors = 1234 where report_id = ${reportId} and kind = 'html'`.execute(
      database.db,
    );
    for (const path of [ofReport, ofSchedule])
      expect((await shown(path))[2]).to.equal("site check: failed, 1,234 errors");
    const forged = [
      ofReport.replace("report.", "schedule."),
      ofReport.replace(reportId, id),
      `${ofReport}x`,
      ofReport.slice(0, -1),
      ofReport.replace(/[^.]*$/, ""),
      ofReport.replace(/[^.]*$/, "%C3%A9".repeat(22)),
      "/badges/report",
    ];
    for (const path of forged) expect((await anybody("GET", path)).status, path).to.equal(404);
    const keyless = await startTestApi(database);
    try {
      expect((await keyless.as(token)("GET", `/schedules/${id}`)).json.data.attributes.badge_url).to.equal(null);
      for (const path of [ofReport, ofReport.replace(/[.][^.]*$/, ""), ofReport.replace(/[^.]*$/, "")])
        expect((await keyless.as(undefined)("GET", path)).status, path).to.equal(404);
    } finally {
      await keyless.close();
    }
  });

  it("start a report although the API fails right after the decision: the controller hears of it at once", async () => {
    const { id, hook } = await create();
    const working = api.deps.cluster;
    const failing: TestApi = await startTestApi(database, {
      ...{ encryptor: createEncryptor("secret") },
      cluster: { ...working, create: () => Promise.reject(new ClusterError("Unavailable", "The cluster is away.")) },
    });
    const controller = startController(database);
    try {
      // The controller knows the schedule, and has nothing to do with it before the call.
      await eventually(async () => (await scheduleOf(working, id))?.status?.conditions !== undefined);
      const reply = await failing.as(undefined)("POST", hook);
      expect(reply.status).to.equal(503);
      await eventually(async () => (await call("GET", `/reports?filter[schedule_id]=${id}`)).json.meta.total === 1);
    } finally {
      await controller.stop();
      await failing.close();
    }
  });

  it("queue one follow-up while a run is active, however often and however many at once", async () => {
    const { id, hook } = await create();
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => anybody("POST", hook)));
    expect(replies.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 202]);
    const started = replies.filter(({ json }) => (json.meta as unknown as { queued: boolean }).queued === false);
    const queued = replies.filter(({ json }) => (json.meta as unknown as { queued: boolean }).queued);
    expect([started.length, queued.length]).to.deep.equal([1, 4]);
    expect(new Set(queued.map(({ json }) => json.data.id)).size).to.equal(1);
    expect(queued[0]?.json.data.id).not.to.equal(started[0]?.json.data.id);
    expect((await call("GET", `/reports?filter[schedule_id]=${id}`)).json.meta.total).to.equal(1);
  });

  it("show a queued report as any other, at an address that works at once", async () => {
    const { id, hook } = await create();
    const started = (await anybody("POST", hook)).json.data;
    const reply = await anybody("POST", hook);
    const { data } = reply.json;
    expect(Object.keys(data.attributes)).to.deep.equal(Object.keys(started.attributes));
    expect(Object.keys(data.relationships)).to.deep.equal(Object.keys(started.relationships));
    expect(data.attributes).to.include({ starting_url: URL_, phase: "Pending", max_pages: 100, num_pages: 0 });
    const path = `/reports/${data.id}`;
    expect(reply.headers.get("location")).to.equal(`${api.url}/api/v1${path}`);
    const read = await call("GET", path);
    expect(read.status, read.text).to.equal(200);
    const { basic_auth_id: _, bytes: __, changes: ___, sign_in_pictures: ____, ...shown } = read.json.data.attributes;
    expect(shown).to.deep.equal(data.attributes);
    const again = await call("GET", path, { headers: { "if-none-match": read.headers.get("etag") ?? "" } });
    expect(again.status).to.equal(304);
    expect((await call("GET", `${path}/web_pages`)).json.meta.total).to.equal(0);
    for (const [method, options] of [
      ["PATCH", { attributes: { shared: true } }],
      ["DELETE", {}],
    ] as const) {
      const refused = await call(method, path, options);
      expect([refused.status, refused.json.errors[0]?.code], method).to.deep.equal([409, "report_queued"]);
    }
    const stranger = api.as((await accountWithToken(database)).token);
    expect((await stranger("GET", path)).status).to.equal(404);
    expect((await anybody("GET", path)).status).to.equal(401);
    await call("PATCH", `/schedules/${id}`, { attributes: { active: false } });
    expect((await call("GET", path)).status).to.equal(404);
    await call("DELETE", `/reports/${started.id}`);
    expect((await call("GET", `/reports/${started.id}`)).status).to.equal(404);
  });

  it("start schedules that have times as well, but no inactive ones", async () => {
    const { hook } = await create({ periodicity: { every: "day" } });
    expect((await anybody("POST", hook)).status).to.equal(202);
    const off = await create({ active: false });
    const reply = await anybody("POST", off.hook);
    expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([409, "schedule_inactive"]);
    expect((await call("GET", `/reports?filter[schedule_id]=${off.id}`)).json.meta.total).to.equal(0);
  });

  it("start no report that exceeds the operator's current limits", async () => {
    const { id, hook } = await create();
    await database.db
      .updateTable("schedules")
      .set({ spec: sql`spec || '{"maxPages": 0}'` })
      .where("id", "=", id)
      .execute();
    const reply = await anybody("POST", hook);
    expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([409, "schedule_inactive"]);
    expect(reply.json.errors[0]?.detail).to.contain("max_pages is 0, which means no limit; it must be from 1 to ");
    expect((await call("GET", `/reports?filter[schedule_id]=${id}`)).json.meta.total).to.equal(0);
  });

  it("forget a waiting follow-up when the schedule is made inactive", async () => {
    const { id, hook } = await create();
    await anybody("POST", hook);
    await anybody("POST", hook);
    await call("PATCH", `/schedules/${id}`, { attributes: { active: false } });
    const row = await database.db.selectFrom("schedules").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    expect(row.hook_report_id).to.equal(null);
  });

  it("get a new secret on request; the old one stops working at once", async () => {
    const { id, hook } = await create();
    const reply = await call("POST", `/schedules/${id}/deploy_hook`);
    expect(reply.status, reply.text).to.equal(201);
    const renewed = pathOf(reply.json.data.attributes.deploy_hook_url);
    expect(renewed).not.to.equal(hook);
    expect((await call("GET", `/schedules/${id}`)).json.data).to.deep.equal(reply.json.data);
    expect((await anybody("POST", hook)).status).to.equal(404);
    expect((await anybody("POST", renewed)).status).to.equal(202);
  });

  it("with a wrong secret look like unknown addresses, and accept only POST", async () => {
    for (const secret of ["svh_wrong", "x", "%00", "a".repeat(5_000)])
      expect((await anybody("POST", `/deploy_hooks/${secret}`)).status, secret.slice(0, 20)).to.equal(404);
    const { hook } = await create();
    const reply = await anybody("GET", hook);
    expect([reply.status, reply.headers.get("allow")]).to.deep.equal([405, "POST, OPTIONS"]);
  });

  it("are rate-limited, with right and with wrong secrets", async () => {
    const { hook } = await create();
    const limited = await startTestApi(database, { encryptor: createEncryptor("secret"), requestsPerMinute: 2 });
    try {
      const statuses = [];
      for (const path of ["/deploy_hooks/wrong", hook, hook])
        statuses.push((await limited.as(undefined)("POST", path)).status);
      expect(statuses).to.deep.equal([404, 202, 429]);
    } finally {
      await limited.close();
    }
  });

  it("are null if the service has no key to encrypt their secrets, and stored ones stay hidden", async () => {
    const { id, hook } = await create();
    const keyless = await startTestApi(database);
    const rekeyed = await startTestApi(database, { encryptor: createEncryptor("another") });
    try {
      const made = await keyless.as(token)("POST", "/schedules", {
        attributes: { starting_url: URL_, periodicity: null },
      });
      expect([made.status, made.json.data.attributes.deploy_hook_url]).to.deep.equal([201, null]);
      const renewal = await keyless.as(token)("POST", `/schedules/${made.json.data.id}/deploy_hook`);
      expect([renewal.status, renewal.json.errors[0]?.code]).to.deep.equal([409, "no_secret_key"]);
      // With a key it gets its secret when it is first looked at.
      const renewed = await rekeyed.as(token)("GET", `/schedules/${made.json.data.id}`);
      expect(renewed.json.data.attributes.deploy_hook_url).to.match(/svh_/);
      const undecryptable = await rekeyed.as(token)("GET", `/schedules/${id}`);
      expect([undecryptable.status, undecryptable.json.data.attributes.deploy_hook_url]).to.deep.equal([200, null]);
      expect((await anybody("POST", hook)).status).to.equal(202);
    } finally {
      await keyless.close();
      await rekeyed.close();
    }
  });
});

/** The path below /api/v1 of a hook's address. */
async function scheduleOf(cluster: Cluster, id: string): Promise<ScheduleResource | undefined> {
  return (await cluster.list("Schedule")).items.find(({ metadata }) => metadata.annotations?.[annotations.id] === id);
}

function pathOf(url: unknown): string {
  return String(url).replace(/^.*\/api\/v1/, "");
}
