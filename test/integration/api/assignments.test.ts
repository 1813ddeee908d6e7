import { expect } from "chai";
import { sql, type Transaction } from "kysely";
import type { List, One } from "../../../src/api/documents.ts";
import { deletePerson, lockPeople } from "../../../src/database/accounts/people.ts";
import { deleteTeam } from "../../../src/database/accounts/teams.ts";
import type { Database } from "../../../src/database/tables.ts";
import { MAX_HELD } from "../../../src/domain/causes/assignment.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { personWithToken } from "../../support/people.ts";
import { eventually } from "../../support/wait.ts";
import { startTestPages } from "../../support/web-pages.ts";

const pages = {
  "/docs/a": ["alt img p1"],
  "/docs/b": ["alt img p1"],
  "/news/a": ["lang html p2"],
  "/x": ["lang html p2"],
};
const hour = 3_600_000;

describe("Who has a site, its sections and its causes", () => {
  let database: TestDatabase;
  let api: TestApi;
  let token: string;
  let accountId: string;
  let report: string;
  let site: string;
  before(async () => {
    database = await createTestDatabase();
    api = await startTestPages(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const call = async (method: string, path: string, attributes?: object, status = method === "POST" ? 201 : 200) => {
    const reply = await api.as(token)(method, path, attributes && { attributes });
    expect(reply.status, reply.text).to.equal(method === "DELETE" ? 204 : status);
    return reply.json;
  };
  const causes = async (query = "") =>
    (await call("GET", `/reports/${report}/causes${query}`)) as unknown as List<"cause">;
  const listed = async (query = "", as = token) =>
    (await api.as(as)("GET", `/assignments${query}`)).json as unknown as List<"assignment">;
  const give = async (attributes: object) =>
    ((await call("POST", "/assignments", { site_id: site, ...attributes })) as unknown as One<"assignment">).data;
  const run = (at: number, of = pages) =>
    runReport(database.db, accountId, of, { at: new Date(at), spec: { performHtmlChecks: true } });

  beforeEach(async () => {
    ({ token, accountId } = await accountWithToken(database));
    report = await run(Date.now() - hour);
    site = ((await call("GET", "/sites")) as unknown as List<"site">).data[0]?.id ?? "";
  });

  const holders = async () =>
    (await causes()).data.map(({ attributes: { assignment: held } }) => [
      held?.assignee,
      held?.of,
      held?.path,
      held?.state,
    ]);

  it("holds for a cause by its section if all of its pages are in it, else by its site, until somebody takes it", async () => {
    const [first] = (await causes()).data;
    await give({ assignee: "Web team" });
    const section = await give({ path: "/docs/", assignee: "Editors", due_on: "2090-01-01" });
    await give({ path: "/news/", assignee: "Press" });
    expect(await holders()).to.have.deep.members([
      ["Editors", "section", "/docs/", "open"],
      ["Web team", "site", null, "open"],
    ]);
    expect((await causes("?filter[path]=/news/")).data[0]?.attributes.assignment?.assignee).to.equal("Web team");
    await call("PATCH", `/reports/${report}/causes/${first?.id}`, { assignee: "Agency South" });
    expect(await holders()).to.deep.include(["Agency South", "cause", null, "taken"]);
    await call("PATCH", `/reports/${report}/causes/${first?.id}`, { assignee: null });
    await call("DELETE", `/assignments/${section.id}`);
    expect((await causes("?filter[assignee]=Web%20team")).data).to.have.length(2);
  });

  it("is said of a section with a long address", async () => {
    const path = `/${Array.from({ length: 1_900 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000))).join("")}/`;
    const section = await give({ path, assignee: "Editors" });
    expect((await give({ path, assignee: "Press" })).id).to.equal(section.id);
  });

  it("says which site has whom, and keeps who has it when the same name is said", async () => {
    const ada = await personWithToken(database, accountId, "editor");
    await give({ person_id: ada.id });
    const name = ((await call("GET", `/sites/${site}`)) as unknown as One<"site">).data.attributes.owner;
    const same = (await call("PATCH", `/sites/${site}`, { owner: name })) as unknown as One<"site">;
    expect(same.data.attributes.assignment).to.include({ person_id: ada.id, holder: "person", state: "taken" });
    const other = (await call("PATCH", `/sites/${site}`, { owner: "Culture" })) as unknown as One<"site">;
    expect(other.data.attributes.assignment).to.include({ assignee: "Culture", holder: "name", person_id: null });
    const none = (await call("PATCH", `/sites/${site}`, { owner: null })) as unknown as One<"site">;
    expect(none.data.attributes).to.include({ owner: null, assignment: null });
  });

  it("is somebody's by a team, too: their sites and what they have of them", async () => {
    const ada = await personWithToken(database, accountId, "editor");
    const team = (await call("POST", "/teams", { name: "Web team", member_ids: [ada.id] })) as unknown as One<"team">;
    await give({ path: "/docs/", team_id: team.data.id });
    expect((await listed("?filter[mine]=true", ada.token)).data).to.have.length(1);
    expect((await listed("?filter[mine]=true")).data).to.have.length(0);
    const mine = await api.as(ada.token)("GET", "/sites?filter[mine]=true");
    expect((mine.json as unknown as List<"site">).meta.counts.mine).to.equal(1);
    expect((await api.as(ada.token)("GET", `/reports/${report}/causes?filter[mine]=true`)).json.data).to.have.length(1);
    await call("PATCH", `/teams/${team.data.id}`, { member_ids: [] });
    expect((await listed("?filter[mine]=true", ada.token)).data).to.have.length(0);
  });

  it("is seen again when it was said to be done, and a later run has it, and not before", async () => {
    const [first] = (await causes()).data;
    await call("PATCH", `/reports/${report}/causes/${first?.id}`, { assignee: "Agency", done: true });
    const held = await give({ path: "/news/", assignee: "Press", done: true });
    const states = async () =>
      (await listed()).data.map(({ attributes: { kind, state } }) => `${kind} ${state}`).toSorted();
    expect(await states()).to.deep.equal(["cause done", "section done"]);
    report = await run(Date.now() + hour);
    expect(await states()).to.deep.equal(["cause seen_again", "section seen_again"]);
    await call("PATCH", `/assignments/${held.id}`, { done: false, due_on: "2020-01-01" });
    expect(await states()).to.deep.equal(["cause seen_again", "section late"]);
    report = await run(Date.now() + 2 * hour, { ...pages, "/docs/a": [], "/docs/b": [] });
    expect(await states()).to.deep.equal(["cause done", "section late"]);
  });

  it("goes to who takes over when a person or team is removed, or is listed until somebody does", async () => {
    const [ada, eve] = [
      await personWithToken(database, accountId, "editor"),
      await personWithToken(database, accountId, "editor"),
    ];
    await give({ person_id: ada.id });
    await give({ path: "/docs/", person_id: eve.id });
    await call("DELETE", `/people/${ada.id}?successor_id=${eve.id}`);
    expect((await listed()).data.map(({ attributes }) => attributes.person_id)).to.deep.equal([eve.id, eve.id]);
    await call("DELETE", `/people/${eve.id}`);
    const left = (await listed("?filter[left]=true")).data;
    expect(left.map(({ attributes: { is_left, holder } }) => [is_left, holder])).to.deep.equal([
      [true, "person"],
      [true, "person"],
    ]);
    await call("PATCH", `/assignments/${left[0]?.id}`, { assignee: "Agency South" });
    expect((await listed("?filter[left]=true")).data).to.have.length(1);
  });

  it("goes to nobody who is removed at the same moment: that is said, and nothing is changed", async () => {
    const ada = await personWithToken(database, accountId, "editor");
    const eve = await personWithToken(database, accountId, "editor");
    const teamIds = [];
    for (const called of ["Web team", "Press"])
      teamIds.push(((await call("POST", "/teams", { name: called })) as unknown as One<"team">).data.id);
    const [team = "", otherTeam = ""] = teamIds;
    await give({ person_id: ada.id });
    await give({ path: "/docs/", team_id: team });
    for (const [leaving, heir, remove] of [
      [`/teams/${team}`, otherTeam, deleteTeam],
      [`/people/${ada.id}`, eve.id, deletePerson],
    ] as const) {
      const reply = await meanwhile(
        (trx) => remove(trx, heir),
        () => api.as(token)("DELETE", `${leaving}?successor_id=${heir}`),
      );
      expect(reply.status, reply.text).to.equal(400);
      expect(reply.text).to.include(`successor_id is ${heir}`);
      expect((await api.as(token)("GET", leaving)).status).to.equal(200);
    }
    expect((await listed("?filter[left]=true")).data).to.have.length(0);
  });

  it("is stored as somebody removed, when that happens at the same moment", async () => {
    const ada = await personWithToken(database, accountId, "editor");
    const reply = await meanwhile(
      (trx) => deletePerson(trx, ada.id),
      () => api.as(token)("POST", "/assignments", { attributes: { site_id: site, person_id: ada.id } }),
    );
    expect(reply.status, reply.text).to.equal(201);
    expect((await listed("?filter[left]=true")).data).to.have.length(1);
  });

  it("is said of as many sections as are read with a site, and each of these can go to somebody else", async () => {
    await give({ path: "/docs/", assignee: "Press" });
    await sql`insert into assignments (account_id, starting_url, kind, part, assignee, holder)
      select account_id, starting_url, 'section', '/' || n || '/', 'Editors', 'name'
      from assignments, generate_series(2, ${MAX_HELD}::int) n where account_id = ${accountId}`.execute(database.db);
    const more = await api.as(token)("POST", "/assignments", {
      attributes: { site_id: site, path: "/news/", assignee: "Press" },
    });
    expect(more.status).to.equal(409);
    expect(more.text).to.include("too_many_sections").and.to.include("500 sections");
    const same = await give({ path: "/docs/", assignee: "Editors" });
    await give({ assignee: "Web team" });
    await call("DELETE", `/assignments/${same.id}`);
    await give({ path: "/news/", assignee: "Press" });
  });

  it("is said of 500 causes of a site, done ones included, and of another one when nobody has one of them", async () => {
    const cause = `/reports/${report}/causes/${(await causes()).data[0]?.id}`;
    await sql`insert into assignments (account_id, starting_url, kind, part, assignee, holder, done_at)
      select account_id, starting_url, 'cause', substr(md5(n::text), 1, 20), 'Editors', 'name', now()
      from reports, generate_series(1, ${MAX_HELD}::int) n where id = ${report}::uuid`.execute(database.db);
    const patch = () => api.as(token)("PATCH", cause, { attributes: { assignee: "Press" } });
    const refused = await patch();
    expect([refused.status, refused.text.includes("too_many_causes")]).to.deep.equal([409, true]);
    const query = /\/assignments(\?\S+) lists/.exec(refused.json.errors[0]?.detail ?? "")?.[1] ?? "";
    const [first] = (await listed(query)).data;
    await call("DELETE", `/assignments/${first?.id}`);
    expect((await patch()).status).to.equal(200);
    expect((await patch()).status).to.equal(200);
  });

  /** What a request answers that begins after somebody else's statements, and ends after these are committed. */
  async function meanwhile<Reply>(
    others: (trx: Transaction<Database>) => Promise<void>,
    request: () => Promise<Reply>,
  ) {
    const { answering } = await database.db.transaction().execute(async (trx) => {
      await lockPeople(trx, accountId);
      await others(trx);
      const answering = request();
      await eventually(async () => {
        const { rows } = await sql<{ n: number }>`
          select count(*)::integer as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
          database.db,
        );
        return rows[0]?.n === 1;
      });
      return { answering };
    });
    return answering;
  }

  it("is nobody of another account, and nobody at all on sites of guests", async () => {
    const other = await accountWithToken(database);
    const eve = await personWithToken(database, other.accountId, "owner");
    const team = await api.as(other.token)("POST", "/teams", { attributes: { name: "Theirs", member_ids: [eve.id] } });
    for (const [name, id] of Object.entries({ person_id: eve.id, team_id: team.json.data.id })) {
      const reply = await api.as(token)("POST", "/assignments", { attributes: { site_id: site, [name]: id } });
      expect(reply.status, reply.text).to.equal(422);
    }
    expect(
      (await api.as(token)("POST", "/teams", { attributes: { name: "x", member_ids: [eve.id] } })).status,
    ).to.equal(422);
    expect((await api.as(token)("DELETE", `/teams/${team.json.data.id}`)).status).to.equal(404);
    const held = await give({ assignee: "Web team" });
    expect(
      (await api.as(other.token)("PATCH", `/assignments/${held.id}`, { attributes: { note: "x" } })).status,
    ).to.equal(404);
    expect((await listed("", other.token)).data).to.have.length(0);
    expect((await api.as(token)("GET", "/assignees")).text).to.not.include("Theirs");
  });
});
