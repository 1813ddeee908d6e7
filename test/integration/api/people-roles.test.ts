import { expect } from "chai";
import { sql } from "kysely";
import type { Route } from "../../../src/api/context.ts";
import { routes } from "../../../src/api/routes.ts";
import { endRolesOnGoneSites } from "../../../src/database/accounts/site-roles.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { markDeleted, markReportDeleted } from "../../../src/database/reports/reports.ts";
import { siteIdOf } from "../../../src/database/reports/site-key.ts";
import { nameSite } from "../../../src/database/reports/sites.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import {
  boundsAllow,
  grantNames,
  rightOf,
  roleHas,
  roles,
  siteRoleHas,
  siteRoles,
  type TokenBounds,
} from "../../../src/domain/accounts/roles.ts";
import { accountWithToken, type Call, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import {
  addressOf,
  OTHER_SITE,
  oneOfEach,
  onOtherSite,
  sessionOf,
  validAttributes,
} from "../../support/every-route.ts";
import { personWithToken } from "../../support/people.ts";

const guarded = routes.filter(({ access }) => access !== "public");

describe("the roles of people, on every operation of the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let ids: Record<string, string>;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("the key of this test") });
  });
  beforeEach(async () => {
    owner = await accountWithToken(database);
    ids = await oneOfEach(database, api, owner);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  async function outcome(route: Route, call: Call): Promise<string> {
    const attributes = validAttributes(route);
    const { status, json } = await call(route.method, addressOf(route, ids), attributes ? { attributes } : {});
    const [code] = (json.errors ?? []).map((error) => error.code);
    return code === "insufficient_role" || code === "insufficient_scope"
      ? "no"
      : status < 400
        ? "yes"
        : `${status} ${code}`;
  }
  /** A token that somebody made is what an editor may renew and revoke. */
  const anotherTokenOf = async ({ id }: { id: string }) =>
    (await createToken(database.db, { accountId: owner.accountId, name: "another", scope: "read", madeBy: id })).id;
  /** What reads goes first, what deletes last, and what lies below before what is above. */
  const turn = ({ method }: Route) => ["GET", "POST", "PATCH", "DELETE"].indexOf(method);
  const inOrder = [...guarded].sort((a, b) => turn(a) - turn(b) || b.path.length - a.path.length);

  for (const role of roles)
    it(`lets a token of a ${role} do what the role has the right to, and nothing else`, async () => {
      const person = await personWithToken(database, owner.accountId, role);
      ids.api_token_id = await anotherTokenOf(person);
      ids.session_id = await sessionOf(database.db, owner.accountId, `of ${person.mail}`);
      const last = inOrder.filter(({ id }) => id !== "deleteApiToken");
      const revoke = inOrder.filter(({ id }) => id === "deleteApiToken");
      for (const route of [...last, ...revoke])
        expect(`${route.id} ${await outcome(route, api.as(person.token))}`).to.equal(
          `${route.id} ${roleHas(role, rightOf(route)) ? "yes" : "no"}`,
        );
    });

  for (const role of siteRoles)
    it(`lets a token of a ${role} on a single site do there what the role has the right to, and nothing else`, async () => {
      const sites = [{ starting_url: "https://example.com/", role }];
      const person = await personWithToken(database, owner.accountId, null, { sites });
      ids.api_token_id = await anotherTokenOf(person);
      ids.session_id = await sessionOf(database.db, owner.accountId, `of ${person.mail}`);
      const spec = sql`jsonb_set(spec, '{basicAuthId}', to_jsonb(${ids.basic_auth_id}::text))`;
      await sql`update schedules set spec = ${spec} where id = ${ids.schedule_id}`.execute(database.db);
      const last = inOrder.filter(({ id }) => id !== "deleteApiToken");
      const revoke = inOrder.filter(({ id }) => id === "deleteApiToken");
      for (const route of [...last, ...revoke]) {
        const may = route.site !== undefined && siteRoleHas(role, rightOf(route));
        // It silences nothing on the site.
        const is = route.id === "getMuting" ? "404 not_found" : may ? "yes" : "no";
        expect(`${route.id} ${await outcome(route, api.as(person.token))}`).to.equal(`${route.id} ${is}`);
      }
    });

  for (const role of siteRoles)
    it(`shows a ${role} on a single site nothing of another site, by nothing that can be read`, async () => {
      const own = await onOtherSite(database, api, owner);
      const sites = [{ starting_url: OTHER_SITE, role }];
      const { token } = await personWithToken(database, owner.accountId, null, { sites });
      await expectNothingElse(token, own);
    });

  /** Whatever can be read as who has the other site alone, has no address and no id of the account's first one. */
  async function expectNothingElse(token: string, own: Record<string, string>): Promise<void> {
    const { month = "", criterion = "", step = "", device_id = "", ...others } = ids;
    // Addresses of the account's site, and the ids of all that it has.
    const foreign = [/\bexample\.com/, ...Object.values(others).filter((id) => id.length > 20)];
    const known = { ...others, month, criterion, step, device_id, ...own };
    for (const route of guarded.filter(({ method }) => method === "GET")) {
      const { status, text } = await api.as(token)("GET", addressOf(route, known));
      const isOwn = route.site !== undefined && rightOf(route) === "read";
      if (isOwn && !/muting|basic_auth|session|api_token/.test(route.path)) expect(status, route.id).to.equal(200);
      expect(
        foreign.filter((found) => (typeof found === "string" ? text.includes(found) : found.test(text))),
        `${route.id}: ${text}`,
      ).to.deep.equal([]);
    }
  }

  /** A token of the account, with bounds; its sites are found by their addresses or by their tags. */
  const boundedToken = async ({ may, sites }: TokenBounds, by: "address" | "tag" = "address") => {
    const bounds = {
      may,
      siteUrls: by === "address" ? sites : null,
      siteTags: sites !== null && by === "tag" ? ["of the token"] : null,
    };
    if (bounds.siteTags)
      for (const url of sites ?? [])
        await nameSite(database.db, { accountId: owner.accountId, guestToken: null, sites: null }, siteIdOf(url), {
          tags: bounds.siteTags,
        });
    return createToken(database.db, { accountId: owner.accountId, name: "bounded", scope: "write", bounds });
  };

  const bounded = grantNames.flatMap((grant) => [
    { where: "on all sites", bounds: { may: [grant], sites: null } },
    { where: "on a single site", bounds: { may: [grant], sites: ["https://example.com/"] } },
  ]);
  for (const { where, bounds } of bounded)
    it(`lets a token that may ${bounds.may}, ${where}, do that and nothing else`, async () => {
      const { sites } = bounds;
      const { id, token } = await boundedToken(bounds);
      ids.api_token_id = id;
      ids.session_id = await sessionOf(database.db, owner.accountId, "bounded");
      // On a single site, these credentials are there as they are used there.
      const spec = sql`jsonb_set(spec, '{basicAuthId}', to_jsonb(${ids.basic_auth_id}::text))`;
      if (sites) await sql`update schedules set spec = ${spec} where id = ${ids.schedule_id}`.execute(database.db);
      for (const route of inOrder) {
        // A new address of a deploy hook is given to who may start runs alone: others would end the old one and see none.
        const isGiven = route.id !== "renewDeployHook" || boundsAllow(bounds, "run");
        const may = isGiven && boundsAllow(bounds, rightOf(route)) && (sites === null || route.site !== undefined);
        // It silences nothing on the site.
        const isSilent = sites !== null && route.id === "getMuting" && may;
        const is = isSilent ? "404 not_found" : may ? "yes" : "no";
        expect(`${route.id} ${await outcome(route, api.as(token))}`).to.equal(`${route.id} ${is}`);
      }
    });

  for (const by of ["address", "tag"] as const)
    it(`shows a token for single sites, known by ${by}, nothing of another site, by nothing that can be read`, async () => {
      const own = await onOtherSite(database, api, owner);
      const { token } = await boundedToken({ may: ["all"], sites: [OTHER_SITE] }, by);
      await expectNothingElse(token, own);
    });

  it("lets a token for a tag see a site from the next request on that the site has it, and no longer", async () => {
    const own = await onOtherSite(database, api, owner);
    const { token } = await boundedToken({ may: ["read"], sites: [OTHER_SITE] }, "tag");
    const seen = async () =>
      (await api.as(token)("GET", "/sites")).json.data.map(({ attributes }) => attributes.starting_url);
    const tag = (id: string | undefined, tags: string[]) =>
      api.as(owner.token)("PATCH", `/sites/${id}`, { attributes: { tags } });
    expect(await seen()).to.deep.equal([OTHER_SITE]);
    await tag(ids.site_id, ["of the token", "shop"]);
    expect(await seen()).to.have.members([OTHER_SITE, "https://example.com/"]);
    await tag(own.site_id, []);
    await tag(ids.site_id, []);
    expect(await seen()).to.deep.equal([]);
    expect((await api.as(token)("GET", `/reports/${own.report_id}`)).status).to.equal(404);
  });

  it("lets a token with bounds do no more than who made it, on no other sites", async () => {
    await onOtherSite(database, api, owner);
    const sites = [{ starting_url: OTHER_SITE, role: "editor" as const }];
    const maker = await personWithToken(database, owner.accountId, null, { sites });
    const make = (attributes: object) =>
      api.as(maker.token)("POST", "/api_tokens", { attributes: { name: "bounded", ...attributes } });
    const refused = await make({ may: ["read"], site_urls: ["https://example.com/"] });
    expect(refused.json.errors[0]).to.deep.include({ code: "unknown_site" });
    expect(refused.json.errors[0]?.source?.pointer).to.equal("/data/attributes/site_urls/0");
    const { json } = await make({ may: ["all"] });
    const call = api.as(String(json.data.attributes.token));
    const seen = (await call("GET", "/sites")).json.data.map(({ attributes }) => attributes.starting_url);
    expect(seen).to.deep.equal([OTHER_SITE]);
    const named = await make({ may: ["read"], site_urls: [OTHER_SITE] });
    await database.db.updateTable("people").set({ role: "reader" }).where("id", "=", maker.id).execute();
    await database.db.deleteFrom("site_roles").where("person_id", "=", maker.id).execute();
    expect((await call("POST", "/schedules", { attributes: {} })).json.errors[0]?.code).to.equal("insufficient_role");
    const one = api.as(String(named.json.data.attributes.token));
    expect((await one("GET", "/sites")).json.data.map(({ attributes }) => attributes.starting_url)).to.deep.equal([
      OTHER_SITE,
    ]);
  });

  it("refuses to make a token whose bounds disagree", async () => {
    const guest = await guestWithToken(database, owner.accountId);
    const codeOf = async (token: string, attributes: object) => {
      const sent = { attributes: { name: "bounded", ...attributes } };
      const { status, json } = await api.as(token)("POST", "/api_tokens", sent);
      const [error] = json.errors ?? [];
      return error ? `${error.code} ${error.source?.pointer}` : status;
    };
    const site_urls = ["https://example.com/"];
    expect(await codeOf(owner.token, { site_urls })).to.equal("inconsistent /data/attributes/site_urls");
    expect(await codeOf(owner.token, { site_tags: ["shop"] })).to.equal("inconsistent /data/attributes/site_tags");
    expect(await codeOf(owner.token, { may: ["run"], scope: "read" })).to.equal("inconsistent /data/attributes/scope");
    expect(await codeOf(owner.token, { may: [] })).to.match(/ \/data\/attributes\/may$/);
    expect(await codeOf(owner.token, { may: ["people"] })).to.match(/ \/data\/attributes\/may\/0$/);
    expect(await codeOf(guest.token, { may: ["read"], site_urls })).to.equal("inconsistent /data/attributes/site_urls");
    expect(await codeOf(guest.token, { may: ["read"] })).to.equal(201);
    expect(await codeOf(owner.token, { may: ["read"], scope: "read" })).to.equal(201);
  });

  it("shows a token with bounds itself alone in the list of tokens", async () => {
    const { id, token } = await boundedToken({ may: ["read"], sites: null });
    const { json } = await api.as(token)("GET", "/api_tokens");
    expect(json.data.map((one) => one.id)).to.deep.equal([id]);
    expect((await api.as(token)("GET", `/api_tokens/${ids.api_token_id}`)).status).to.equal(404);
  });

  it("lets a token that starts runs start small ones, and those of schedules, and share none", async () => {
    const { token } = await boundedToken({ may: ["read", "run"], sites: null });
    const start = async (attributes: object) => {
      const sent = { attributes: { starting_url: "https://example.com/", ...attributes } };
      const { status, json } = await api.as(token)("POST", "/reports", sent);
      const [error] = json.errors ?? [];
      return error ? `${error.code} ${error.source?.pointer}` : status;
    };
    expect(await start({ max_pages: 50 })).to.equal(201);
    expect(await start({ max_pages: 51 })).to.equal("out_of_range /data/attributes/max_pages");
    expect(await start({ shared: true })).to.equal("not_allowed /data/attributes/shared");
    const large = { starting_url: "https://example.com/", periodicity: null, max_pages: 400 };
    const { json } = await api.as(owner.token)("POST", "/schedules", { attributes: large });
    const run = await api.as(token)("POST", `/schedules/${json.data.id}/runs`);
    expect([run.status, run.json.data.attributes.max_pages]).to.deep.equal([202, 400]);
    const { json: read } = await api.as(token)("GET", `/schedules/${json.data.id}`);
    expect(read.data.attributes.deploy_hook_url).to.equal(null);
  });

  it("lets a token that changes share nothing with everybody, neither a report nor those of a schedule", async () => {
    const { token } = await boundedToken({ may: ["read", "write"], sites: null });
    const codeOf = async (method: string, path: string, attributes: object) => {
      const { status, json } = await api.as(token)(method, path, { attributes });
      const [error] = json.errors ?? [];
      return error ? `${error.code} ${error.source?.pointer}` : status;
    };
    const refused = "not_allowed /data/attributes/shared";
    expect(await codeOf("PATCH", `/reports/${ids.report_id}`, { shared: true })).to.equal(refused);
    expect(await codeOf("PATCH", `/reports/${ids.report_id}`, { shared: false })).to.equal(200);
    const planned = { starting_url: "https://example.com/", periodicity: null };
    expect(await codeOf("POST", "/schedules", { ...planned, shared: true })).to.equal(refused);
    const { json } = await api.as(owner.token)("POST", "/schedules", { attributes: { ...planned, shared: true } });
    expect(await codeOf("PATCH", `/schedules/${json.data.id}`, { shared: true, max_pages: 7 })).to.equal(200);
  });

  it("takes no host besides that of its site from whoever starts runs of single sites", async () => {
    const { token } = await boundedToken({ may: ["all"], sites: ["https://example.com/"] });
    const start = async (path: string, attributes: object) => {
      const sent = { attributes: { starting_url: "https://example.com/", ...attributes } };
      const { status, json } = await api.as(token)("POST", path, sent);
      const [error] = json.errors ?? [];
      return error ? `${error.code} ${error.source?.pointer}` : status;
    };
    const refused = "not_your_site /data/attributes/same_site";
    expect(await start("/reports", { same_site: ["www", "shop.example.org"] })).to.equal(refused);
    expect(await start("/schedules", { same_site: ["*.example.org"], periodicity: null })).to.equal(refused);
    expect(await start("/reports", { same_site: ["www", "subdomains"], max_pages: 5 })).to.equal(201);
  });

  it("counts the higher role where somebody has one on all sites and one on a single site", async () => {
    const own = await onOtherSite(database, api, owner);
    const sites = [{ starting_url: OTHER_SITE, role: "editor" as const }];
    const { token } = await personWithToken(database, owner.accountId, "reader", { sites });
    const call = api.as(token);
    const codeOf = async (...request: Parameters<Call>) => {
      const { status, json } = await call(...request);
      return json.errors?.[0]?.code ?? status;
    };
    const tags = { attributes: { tags: ["shop"] } };
    expect(await codeOf("GET", `/reports/${ids.report_id}`)).to.equal(200);
    expect(await codeOf("GET", "/usage")).to.equal(200);
    expect(await codeOf("PATCH", `/sites/${own.site_id}`, tags)).to.equal(200);
    expect(await codeOf("PATCH", `/sites/${ids.site_id}`, tags)).to.equal("insufficient_role");
    expect(await codeOf("DELETE", `/schedules/${ids.schedule_id}`)).to.equal("insufficient_role");
    expect(await codeOf("DELETE", `/assignments/${ids.assignment_id}`)).to.equal("insufficient_role");
    expect(await codeOf("POST", "/mutings", { attributes: { url_match: "x", message: "y" } })).to.equal(
      "insufficient_role",
    );
  });

  it("lets an editor of a single site start and plan runs of this site alone, also by a change", async () => {
    const own = await onOtherSite(database, api, owner);
    const sites = [{ starting_url: OTHER_SITE, role: "editor" as const }];
    const { token } = await personWithToken(database, owner.accountId, null, { sites });
    const call = api.as(token);
    const codeOf = async (...request: Parameters<Call>) => {
      const { status, json } = await call(...request);
      return json.errors?.[0]?.code ?? status;
    };
    const elsewhere = { starting_url: "https://example.com/" };
    expect(await codeOf("POST", "/reports", { attributes: { starting_url: OTHER_SITE } })).to.equal(201);
    expect(await codeOf("POST", "/reports", { attributes: elsewhere })).to.equal("not_your_site");
    expect(await codeOf("POST", "/schedules", { attributes: { ...elsewhere, periodicity: null } })).to.equal(
      "not_your_site",
    );
    expect(await codeOf("PATCH", `/schedules/${own.schedule_id}`, { attributes: elsewhere })).to.equal("not_your_site");
    const previews = { preview_hosts: ["example.com"] };
    expect(await codeOf("PATCH", `/schedules/${own.schedule_id}`, { attributes: previews })).to.equal("not_your_site");
    const borrowed = { starting_url: OTHER_SITE, basic_auth_id: ids.basic_auth_id };
    expect(await codeOf("POST", "/reports", { attributes: borrowed })).to.equal("unknown_basic_auth");
    const compared = { starting_url: OTHER_SITE, base_id: ids.report_id };
    expect(await codeOf("POST", "/reports", { attributes: compared })).to.equal("unknown_base");
    expect(await codeOf("GET", `/reports/${own.report_id}/comparison?base=${ids.report_id}`)).to.equal("not_found");
    expect(await codeOf("POST", "/pins", { attributes: { report_id: ids.report_id, reason: "Mine" } })).to.equal(
      "unknown_report",
    );
    expect(
      await codeOf("POST", "/share_links", { attributes: { site_id: ids.site_id, expires_at: "2090-01-01T00:00:00" } }),
    ).not.to.equal(201);
    expect(await codeOf("POST", "/assignments", { attributes: { site_id: ids.site_id, assignee: "Me" } })).to.equal(
      "unknown_site",
    );
  });

  it("gives the address that starts runs to nobody who may start none of that site", async () => {
    const own = await onOtherSite(database, api, owner);
    const sites = [{ starting_url: OTHER_SITE, role: "editor" as const }];
    const { token } = await personWithToken(database, owner.accountId, "reader", { sites });
    const hookOf = async (id?: string) =>
      (await api.as(token)("GET", `/schedules/${id}`)).json.data.attributes.deploy_hook_url;
    expect(await hookOf(ids.schedule_id)).to.equal(null);
    expect(await hookOf(own.schedule_id)).to.be.a("string");
  });

  it("says nothing of a run of another site that a run of the own one was compared with", async () => {
    const own = await onOtherSite(database, api, owner);
    const base = ids.report_id ?? "";
    await sql`with c as (insert into comparisons (report_id, base_id, report_checked_at, base_checked_at) values (${own.report_id}, ${base}, now(), now()) returning id)
      update reports set comparison_id = c.id, spec = spec || jsonb_build_object('baseId', ${base}::text) from c where reports.id = ${own.report_id}`.execute(
      database.db,
    );
    const sites = [{ starting_url: OTHER_SITE, role: "reader" as const }];
    const { token } = await personWithToken(database, owner.accountId, null, { sites });
    for (const path of [`/reports/${own.report_id}`, "/reports"]) {
      expect((await api.as(owner.token)("GET", path)).text).to.include(base);
      expect((await api.as(token)("GET", path)).text).to.not.include(base);
    }
  });

  describe("on single sites", () => {
    let own: Record<string, string>;
    beforeEach(async () => {
      own = await onOtherSite(database, api, owner);
    });
    const invite = (attributes: object) =>
      api.as(owner.token)("POST", "/people", { attributes: { mail: "rose@example.org", ...attributes } });
    const tokenOf = async (id: string) =>
      (await createToken(database.db, { accountId: owner.accountId, name: "hers", scope: "write", madeBy: id })).token;
    const listed = async (token: string) => {
      const { json } = await api.as(token)("GET", "/sites");
      return json.errors?.[0]?.code ?? json.data.map(({ attributes }) => attributes.starting_url);
    };

    it("come with an invitation, are changed and taken away, and hold from the next request on", async () => {
      const { status, json } = await invite({ role: null, sites: [{ site_id: own.site_id, role: "reader" }] });
      expect(status).to.equal(201);
      const { id } = json.data;
      expect(json.data.attributes.sites).to.have.length(1);
      const token = await tokenOf(id);
      expect(await listed(token)).to.deep.equal([OTHER_SITE]);
      const give = (sites: object[]) => api.as(owner.token)("PATCH", `/people/${id}`, { attributes: { sites } });
      const change = () => api.as(token)("PATCH", `/sites/${own.site_id}`, { attributes: { name: "Ours" } });
      expect((await change()).status).to.equal(403);
      await give([{ site_id: own.site_id, role: "editor" }]);
      expect((await change()).status).to.equal(200);
      await give([{ site_id: ids.site_id, role: "reader" }]);
      expect(await listed(token)).to.deep.equal(["https://example.com/"]);
      await give([]);
      expect(await listed(token)).to.equal("invalid_token");
    });

    it("are in the audit log, before and after", async () => {
      const { json } = await invite({ role: null, sites: [{ site_id: own.site_id, role: "reader" }] });
      const sites = [{ site_id: own.site_id, role: "editor" }];
      await api.as(owner.token)("PATCH", `/people/${json.data.id}`, { attributes: { sites } });
      const { json: log } = await api.as(owner.token)("GET", `/audit?filter[target_id]=${json.data.id}`);
      const entry = await api.as(owner.token)("GET", `/audit/${log.data[0]?.id}`);
      const [found] = entry.json.data.attributes.changes as unknown as {
        field: string;
        before: string;
        after: string;
      }[];
      expect(found?.field).to.equal("sites");
      const roleIn = (text: string | undefined) => JSON.parse(text ?? "[]")[0].role;
      expect([roleIn(found?.before), roleIn(found?.after)]).to.deep.equal(["reader", "editor"]);
    });

    it("are refused on a site that the account does not have, and twice on one", async () => {
      const another = { site_id: "0".repeat(32), role: "reader" };
      const once = { site_id: own.site_id, role: "reader" };
      for (const [sites, code, at] of [
        [[once, another], "unknown_site", 1],
        [[once, { ...once, role: "editor" }], "inconsistent", 1],
      ] as const) {
        const { status, json } = await invite({ role: null, sites });
        expect([status, json.errors[0]?.code, json.errors[0]?.source?.pointer]).to.deep.equal([
          422,
          code,
          `/data/attributes/sites/${at}/site_id`,
        ]);
      }
      expect((await invite({ role: null, sites: [{ ...once, role: "owner" }] })).status).to.equal(422);
    });

    it("end with the last report of the site, and do not come back with another one", async () => {
      const { json } = await invite({ role: null, sites: [{ site_id: own.site_id, role: "editor" }] });
      const token = await tokenOf(json.data.id);
      const { db } = database;
      const another = await insertReport(db, { accountId: owner.accountId, spec: { startingUrl: OTHER_SITE } });
      await db
        .deleteFrom("pins")
        .where("report_id", "=", own.report_id ?? "")
        .execute();
      await markReportDeleted(db, own.report_id ?? "", new Date());
      expect(await listed(token)).to.deep.equal([OTHER_SITE]);
      await markReportDeleted(db, another, new Date());
      expect(await listed(token)).to.equal("invalid_token");
      await insertReport(db, { accountId: owner.accountId, spec: { startingUrl: OTHER_SITE } });
      expect(await listed(token)).to.equal("invalid_token");
    });

    it("are left alone by a deletion in another account that has a site with the same address", async () => {
      const sites = [{ starting_url: OTHER_SITE, role: "reader" as const }];
      const { id } = await personWithToken(database, owner.accountId, null, { sites });
      const { accountId } = await accountWithToken(database);
      const theirs = await insertReport(database.db, { accountId, spec: { startingUrl: OTHER_SITE } });
      const { token } = await personWithToken(database, accountId, null, { sites });
      await database.db.transaction().execute(async (trx) => {
        await markDeleted(trx, theirs, new Date());
        const free = sql`select from site_roles where person_id = ${id} for update skip locked`;
        expect((await free.execute(database.db)).rows).to.have.length(1);
      });
      expect(await listed(token)).to.equal("invalid_token");
    });

    it("end when somebody gave one while the last report was deleted", async () => {
      const { json } = await invite({ role: null, sites: [{ site_id: own.site_id, role: "editor" }] });
      await database.db
        .updateTable("reports")
        .set({ deleted_at: new Date() })
        .where("starting_url", "=", OTHER_SITE)
        .execute();
      await endRolesOnGoneSites(database.db);
      const { json: read } = await api.as(owner.token)("GET", `/people/${json.data.id}`);
      expect(read.data.attributes.sites).to.deep.equal([]);
    });
  });

  it("lets somebody without a role, and what that person made, do nothing", async () => {
    const person = await personWithToken(database, owner.accountId, null);
    for (const route of guarded)
      expect(`${route.id} ${await outcome(route, api.as(person.token))}`).to.equal(`${route.id} 401 invalid_token`);
  });

  it("holds for a token at once when the person's role changes, or the access ends", async () => {
    const { id, token } = await personWithToken(database, owner.accountId, "editor");
    const mute = () => api.as(token)("POST", "/mutings", { attributes: { url_match: "x", message: "y" } });
    expect((await mute()).status).to.equal(201);
    await database.db.updateTable("people").set({ role: "reader" }).where("id", "=", id).execute();
    expect((await mute()).json.errors[0]?.code).to.equal("insufficient_role");
    await database.db
      .updateTable("people")
      .set({ ends_at: new Date(0) })
      .where("id", "=", id)
      .execute();
    expect((await mute()).status).to.equal(401);
  });

  it("shows a new secret of a token to nobody but who made it", async () => {
    const maker = await personWithToken(database, owner.accountId, "editor");
    const path = `/api_tokens/${await anotherTokenOf(maker)}/secret`;
    for (const { token } of [owner, await personWithToken(database, owner.accountId, "owner")])
      expect((await api.as(token)("POST", path)).json.errors?.[0]?.code).to.equal("insufficient_role");
    expect((await api.as(maker.token)("POST", path)).status).to.equal(201);
  });

  it("lets a token with an end make nothing that lasts longer", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const made = { accountId: owner.accountId, name: "for an hour", scope: "write" as const, expiresAt };
    const { id, token } = await createToken(database.db, made);
    const call = api.as(token);
    for (const expires_at of [null, new Date(Date.now() + 7_200_000).toISOString()]) {
      const { json } = await call("PATCH", `/api_tokens/${id}`, { attributes: { expires_at } });
      expect(json.errors?.[0]?.code).to.equal("out_of_range");
    }
    expect((await call("POST", "/api_tokens", { attributes: { name: "for ever" } })).status).to.equal(422);
    const sooner = { name: "for a minute", expires_at: new Date(Date.now() + 60_000).toISOString() };
    expect((await call("POST", "/api_tokens", { attributes: sooner })).status).to.equal(201);
  });

  it("keeps people out of the list of tokens, and shows those who are no owners their own", async () => {
    const { id, mail, token } = await personWithToken(database, owner.accountId, "editor");
    const all = await api.as(owner.token)("GET", "/api_tokens");
    expect(all.json.data.map((one) => one.id)).to.not.include(id);
    const own = await api.as(token)("GET", "/api_tokens");
    expect(own.json.data.map(({ attributes }) => attributes.name)).to.deep.equal([`of ${mail}`]);
    const another = all.json.data.find(({ attributes }) => attributes.name === "test")?.id;
    expect((await api.as(token)("DELETE", `/api_tokens/${another}`)).status).to.equal(404);
  });
});
