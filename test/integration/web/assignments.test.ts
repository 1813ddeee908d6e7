import { expect } from "chai";
import type { List } from "../../../src/api/documents.ts";
import { runReport } from "../../support/compared-sites.ts";
import { errorOf, open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";

const site = { "/": ["alt img p1", "lang html p2"], "/two": ["alt img p1"] };
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe("Who mends a cause", () => {
  let scene: PagesScene;
  let report: string;
  let causes: string[];
  signedInToPages((made) => {
    scene = made;
  });

  const api = (method: string, path: string, attributes?: object) =>
    scene.service.as(scene.token)(method, path, attributes && { attributes });
  const list = async (query = "") =>
    (await api("GET", `/reports/${report}/causes${query}`)).json as unknown as List<"cause">;
  const pathOf = (id: string | undefined) => `/reports/${report}/causes/${id}`;
  const press1 = async (fields: Record<string, string>) => {
    const path = pathOf(causes[0]);
    return press(scene.client, await open(scene.client, path), path, { act: "save", ...fields });
  };

  beforeEach(async () => {
    report = await runReport(scene.database.db, scene.accountId, site, { at: new Date() });
    causes = (await list()).data.map(({ id }) => id);
  });

  it("is nobody at first, and is said on the report, in the list and on the page of the cause", async () => {
    expect(textOf(await open(scene.client, `/reports/${report}`), ".fixes")).to.include("Nobody has it. Take it");
    const { location } = await press1({ assignee: "Agency South", due_on: day(3), note: "Ticket 4512" });
    expect(location).to.equal(`${pathOf(causes[0])}?done=saved`);
    const shown = await open(scene.client, `/reports/${report}`);
    expect(textOf(shown, ".fixes")).to.match(/Agency South has it, until \d+ \w+/);
    expect(textOf(shown, '[aria-labelledby="has"]')).to.match(/Agency South ?2 ?1.*nobody ?1 ?1/);
    expect(textOf(await open(scene.client, `/reports/${report}/causes`), "tbody")).to.include("Agency South");
    const form = await open(scene.client, pathOf(causes[0]));
    expect(form("[name=who]:checked").attr("value")).to.equal("name:Agency South");
    expect(form("[name=note]").text()).to.equal("Ticket 4512");
  });

  it("is late after its day, said to be done after that, and seen again when a later report has it still", async () => {
    await press1({ assignee: "Shop editors", due_on: day(-6) });
    expect(textOf(await open(scene.client, `/reports/${report}/causes?state=late`), "tbody")).to.include("6 days late");
    await press1({ assignee: "Shop editors", due_on: "", act: "done" });
    expect(textOf(await open(scene.client, `/reports/${report}/causes?state=done`), "tbody")).to.include(
      "said to be done",
    );
    await press1({ note: "Ticket 4512" });
    expect((await list("?filter[state]=done")).data[0]?.attributes.assignment?.note).to.equal("Ticket 4512");
    report = await runReport(scene.database.db, scene.accountId, site, { at: new Date(Date.now() + 60_000) });
    const { data } = await list("?filter[assignee]=Shop%20editors");
    expect((await list()).meta.counts.state).to.include({ nobody: 1, taken: 0, late: 0, done: 0, seen_again: 1 });
    expect(data[0]?.attributes.assignment).to.include({ assignee: "Shop editors", state: "seen_again" });
    expect(textOf(await open(scene.client, `/reports/${report}`), ".fixes")).to.include(
      "said to be done, but seen again",
    );
    await press1({ assignee: "Shop editors", act: "again" });
    expect((await list()).meta.counts.state).to.include({ taken: 1, seen_again: 0 });
  });

  it("adds up to all errors and causes of the report", async () => {
    await press1({ assignee: "Agency South" });
    const { meta } = await list("?filter[state]=taken");
    expect(meta.total).to.equal(1);
    type Has = (typeof meta.assignees)[number];
    const sum = (of: (has: Has) => number) => meta.assignees.reduce((all, has) => all + of(has), 0);
    expect([sum(({ how_many }) => how_many), sum(({ causes: count }) => count)]).to.deep.equal([3, causes.length]);
  });

  it("is nobody again when that is said", async () => {
    await press1({ assignee: "Agency South", note: "x" });
    await press1({ act: "leave" });
    expect((await list()).meta.counts.state.nobody).to.equal(causes.length);
  });

  it("is kept as it was typed when it is refused", async () => {
    const refused = await press1({ assignee: "x".repeat(201), due_on: day(1) });
    expect(refused.status).to.equal(422);
    expect(errorOf(refused, "assignee")).to.include("200");
    expect(refused("[name=due_on]").attr("value")).to.equal(day(1));
  });

  for (const [what, attributes, detail] of [
    ["a day that is none", { assignee: "A", due_on: "2026-02-30" }, "there is no such day"],
    ["a day of a year that is none", { assignee: "A", due_on: "0000-01-01" }, "there is no such day"],
    ["a day for nobody", { due_on: "2026-02-20" }, "nobody has it yet"],
  ] as const)
    it(`is refused with ${what}`, async () => {
      const { status, text } = await api("PATCH", pathOf(causes[0]), attributes);
      expect(status).to.equal(422);
      expect(text).to.include(detail);
    });

  it("sorts causes by the day by which they are mended, those without one last", async () => {
    const last = causes.at(-1);
    await api("PATCH", pathOf(last), { assignee: "Agency South", due_on: day(9) });
    expect((await list("?sort=due_on-asc")).data.map(({ id }) => id)).to.deep.equal([last, ...causes.slice(0, -1)]);
    await api("PATCH", pathOf(causes[0]), { assignee: "Editors", due_on: day(3) });
    expect((await list("?sort=due_on-asc")).data.map(({ id }) => id).slice(0, 2)).to.deep.equal([causes[0], last]);
    const shown = await open(scene.client, `/reports/${report}/causes?sort=due_on-asc`);
    expect(shown("[name=sort] [selected]").text()).to.equal("date: first to be mended");
    expect(textOf(shown, "tbody")).to.match(/Editors.*Agency South/);
  });

  it("stands beside the part of the site that somebody has", async () => {
    report = await runReport(
      scene.database.db,
      scene.accountId,
      { "/docs/a": ["alt img p1"], "/x": ["lang html p2"] },
      { at: new Date() },
    );
    const site_id = (await api("GET", "/sites")).json.data as unknown as { id: string }[];
    const held = { site_id: site_id[0]?.id, path: "/docs/", assignee: "Editors", due_on: day(-2) };
    expect((await api("POST", "/assignments", held)).status).to.equal(201);
    const shown = await open(scene.client, `/reports/${report}`);
    expect(textOf(shown, '[aria-labelledby="parts"]')).to.match(/\/docs\/ ?Editors, 2 days late/);
    await api("PATCH", `/reports/${report}`, { shared: true });
    expect(textOf(await open(scene.client, `/r/${report}`), '[aria-labelledby="parts"]')).to.not.include("Editors");
    const anonymous = scene.service.as(undefined);
    expect((await anonymous("GET", `/reports/${report}/sections`)).text).to.not.include("Editors");
    expect((await anonymous("GET", `/reports/${report}/causes?sort=due_on-asc`)).status).to.equal(400);
    expect((await open(scene.client, `/r/${report}/causes?sort=due_on-asc`)).status).to.equal(200);
  });

  it("is nobody's business: a shared report does not say it, and strangers cannot change it", async () => {
    await press1({ assignee: "Agency South" });
    await api("PATCH", `/reports/${report}`, { shared: true });
    const shared = await open(scene.client, `/r/${report}/causes`);
    expect(textOf(shared)).to.not.include("Agency South").and.not.include("Take it");
    const anonymous = await scene.service.as(undefined)("GET", `/reports/${report}/causes`);
    expect(anonymous.text).to.not.include("Agency South");
  });
});
