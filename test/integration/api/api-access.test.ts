import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { routes } from "../../../src/api/routes.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { keepSignInPictures } from "../../../src/database/reports/sign-in-pictures.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport, signInPicture } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings, insertLinkFinding } from "../../support/findings.ts";

/** Routes below a report, along which the tenant boundary runs. */
const reportRoutes = routes.filter(({ path }) => path.includes(":report_id"));
const readable = reportRoutes.filter(({ method }) => method === "GET");
/** Some of it is for the owner alone, also of a shared report. */
const sharedWithAll = readable.filter(({ access }) => access === "shared");

describe("who may see and do what", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let other: { accountId: string; token: string };
  let guest: { guestToken: string; token: string };

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    owner = await accountWithToken(database);
    other = await accountWithToken(database);
    guest = await guestWithToken(database, owner.accountId);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  let reports = 0;
  /** A report with findings, and the parameters of every path below it. */
  async function fullReport(options: { guestToken?: string; shared?: boolean } = {}): Promise<Record<string, string>> {
    const { guestToken = null, shared = false } = options;
    const id = await insertReport(database.db, { accountId: owner.accountId });
    const found = await insertFindings(database.db, id);
    const links = await insertLinkFinding(database.db, id, found.pageIds);
    // Steps have the same numbers in all reports: here, each report has another.
    const step = 1 + (reports++ % 50);
    await keepSignInPictures(database.db, id, [signInPicture({ step })]);
    // It has ended, so that its event stream is short.
    const ended = { guest_token: guestToken, shared, phase: "Complete" as const };
    await database.db.updateTable("reports").set(ended).where("id", "=", id).execute();
    return {
      report_id: id,
      web_page_id: found.pageIds[0],
      html_issue_id: found.htmlIssueIds[0],
      a11y_issue_id: found.a11yIssueId,
      common_html_issue_id: found.commonHtmlIssueIds[0],
      common_a11y_issue_id: found.commonA11yIssueId,
      link_issue_id: links.issue,
      cause_id: (await api.as(owner.token)("GET", `/reports/${id}/causes`)).json.data[0]?.id ?? "",
      common_link_issue_id: links.common,
      picture_id: found.pictureId,
      step: String(step),
    };
  }

  const address = (path: string, ids: Record<string, string>) =>
    path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? name);

  it("shows the owner everything below a report", async () => {
    const ids = await fullReport();
    for (const { path } of readable) {
      const reply = await api.as(owner.token)("GET", address(path, ids));
      expect([path, reply.status], reply.text).to.deep.equal([path, 200]);
    }
  });

  it("answers 404 to another account and to a guest of the host, whatever they request", async () => {
    const ids = await fullReport();
    for (const token of [other.token, guest.token]) {
      for (const { method, path } of reportRoutes) {
        const reply = await api.as(token)(method, address(path, ids), {
          ...(method === "PATCH" && { attributes: { shared: true } }),
        });
        expect([method, path, reply.status], reply.text).to.deep.equal([method, path, 404]);
      }
    }
  });

  it("answers 401 with a challenge to everybody else", async () => {
    const ids = await fullReport();
    for (const token of [undefined, "svt_wrong"]) {
      for (const { method, path } of routes.filter(({ access }) => access !== "public")) {
        const reply = await api.as(token)(method, address(path, ids), {
          ...(method === "PATCH" && { attributes: { shared: true } }),
        });
        expect([method, path, reply.status], reply.text).to.deep.equal([method, path, 401]);
        expect(reply.headers.get("www-authenticate")).to.match(/^Bearer /);
      }
    }
  });

  it("does not reveal without credentials whether a report exists", async () => {
    const { report_id } = await fullReport();
    const [existing, missing] = await Promise.all(
      [report_id, randomUUID()].map((id) => api.as(undefined)("GET", `/reports/${id}`)),
    );
    expect(existing?.text).to.equal(missing?.text);
  });

  it("lets everybody read a shared report and all below it, but neither change it nor see who created it", async () => {
    const ids = await fullReport({ guestToken: guest.guestToken, shared: true });
    for (const token of [undefined, other.token]) {
      for (const { path } of sharedWithAll) {
        const reply = await api.as(token)("GET", address(path, ids));
        expect([path, reply.status], reply.text).to.deep.equal([path, 200]);
        expect(reply.text).not.to.include(guest.guestToken);
      }
    }
    for (const { method, path } of reportRoutes.filter(({ method }) => method !== "GET")) {
      const body = method === "PATCH" ? { attributes: { shared: false } } : {};
      expect((await api.as(other.token)(method, address(path, ids), body)).status).to.equal(404);
      expect((await api.as(undefined)(method, address(path, ids), body)).status).to.equal(401);
    }
  });

  it("finds nothing below a report or page to which it does not belong", async () => {
    const [one, two] = [await fullReport(), await fullReport()];
    for (const name of Object.keys(one)) {
      for (const { path } of readable.filter(({ path }) => path.includes(`:${name}`) && /\/:\w+\//.test(path))) {
        const reply = await api.as(owner.token)("GET", address(path, { ...one, [name]: two[name] ?? "" }));
        // A cause is called the same in every report that has it.
        const listed = path.endsWith("/:cause_id") || (name === "report_id" && !/:\w+.*:\w+/.test(path));
        expect([path, name, reply.status], reply.text).to.deep.equal([path, name, listed ? 200 : 404]);
      }
    }
  });

  it("responds with 404 to invalid ids, and to those too large for the database", async () => {
    const ids = await fullReport();
    for (const bad of ["0", "-1", "x", "1.5", "99999999999999999999999", "%00", "1%27--", "__proto__"]) {
      for (const name of Object.keys(ids)) {
        for (const { path } of readable.filter(({ path }) => path.includes(`:${name}`))) {
          const reply = await api.as(owner.token)("GET", address(path, { ...ids, [name]: bad }));
          expect([path, bad, reply.status], reply.text).to.deep.equal([path, bad, 404]);
        }
      }
    }
  });

  it("lets a read-only token do nothing but read", async () => {
    const ids = await fullReport();
    const { token } = await createToken(database.db, { accountId: owner.accountId, name: "r", scope: "read" });
    for (const { method, path } of routes.filter(({ method, access }) => method !== "GET" && access !== "public")) {
      const reply = await api.as(token)(method, address(path, ids));
      expect([path, reply.status, reply.json.errors[0]?.code]).to.deep.equal([path, 403, "insufficient_scope"]);
    }
    expect((await api.as(token)("GET", address("/reports/:report_id", ids))).status).to.equal(200);
  });

  it("gives a guest its own reports, marked as its own, which the host sees too", async () => {
    const attributes = { starting_url: "https://example.com/guest" };
    const { data } = (await api.as(guest.token)("POST", "/reports", { attributes })).json;
    expect(data.attributes.guest_token).to.equal(guest.guestToken);
    expect(data.relationships.guest_account?.links.related).to.match(
      new RegExp(`/guest_accounts/${guest.guestToken}$`),
    );
    for (const token of [guest.token, owner.token])
      expect((await api.as(token)("GET", `/reports/${data.id}`)).json.data.attributes.guest_token).to.equal(
        guest.guestToken,
      );
    const second = await guestWithToken(database, owner.accountId);
    expect((await api.as(second.token)("GET", `/reports/${data.id}`)).status).to.equal(404);
    for (const query of [
      "",
      "?created_by=all",
      "?created_by=guests",
      `?created_by=guests&guest_token=${guest.guestToken}`,
    ])
      expect((await api.as(second.token)("GET", `/reports${query}`)).json.meta.total, query).to.equal(0);
  });

  it("ends a guest's access with its guest account", async () => {
    const { guestToken, token } = await guestWithToken(database, owner.accountId);
    expect((await api.as(token)("GET", "/reports")).status).to.equal(200);
    await database.db
      .updateTable("guest_accounts")
      .set({ deleted_at: new Date() })
      .where("token", "=", guestToken)
      .execute();
    expect((await api.as(token)("GET", "/reports")).status).to.equal(401);
  });

  it("stores nothing of a token but its digest and when it was last used", async () => {
    const { id, token } = await createToken(database.db, { accountId: owner.accountId, name: "t", scope: "read" });
    expect(token).to.match(/^svt_[\w-]{32}$/);
    await api.as(token)("GET", "/reports");
    const row = await database.db.selectFrom("api_tokens").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.to.include(token);
    expect(row.last_used_at).to.be.an.instanceOf(Date);
    expect(JSON.stringify(api.logged)).not.to.include(token);
  });
});
