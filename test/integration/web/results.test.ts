import { expect } from "chai";
import { sql } from "kysely";
import type { Attributes } from "../../../src/api/documents.ts";
import { writeNotices } from "../../../src/database/crawl/notices.ts";
import { findReport } from "../../../src/database/reports/read-reports.ts";
import { noticeTexts, type StoredCode } from "../../../src/domain/coverage/notices.ts";
import type { CheckOutcome } from "../../../src/domain/findings/findings.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { requeuePage } from "../../../src/transactions/change-pages.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { endReport, judgeReport } from "../../../src/transactions/end-report.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { NOW, runReport, type Site } from "../../support/compared-sites.ts";
import { muteOnly } from "../../support/mute.ts";
import { recountAll } from "../../support/mutings.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

const DAY_MS = 86_400_000;
const day = (n: number) => new Date(NOW.getTime() + n * DAY_MS);
/** As many errors of a rule as asked for, each at an element of its own. */
const errors = (rule: string, n: number): string[] => Array.from({ length: n }, (_, at) => `${rule} img p${at}`);

describe("The numbers of runs", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  const run = (site: Site, at: Date, spec: Partial<ReportSpec> = {}) =>
    runReport(scene.database.db, scene.accountId, site, { at, spec });
  const text = async (path: string, selector = "main") => textOf(await open(scene.client, path), selector);
  const columns = async (path: string, row = 0) => {
    const page = await open(scene.client, path);
    const cells = page("tbody tr:not(details *)").eq(row).find("th, td").toArray();
    return cells.map((cell) => page(cell).text().replaceAll(/\s+/g, " ").trim());
  };
  /** The newest run, which has failed or is under way, with what it had counted. */
  async function another(values: Record<string, unknown>): Promise<string> {
    const { db } = scene.database;
    const id = await insertReport(db, { accountId: scene.accountId });
    await setReport(db, id, { inserted_at: day(9), html_checked: 1, html_errors: 7, ...values });
    return id;
  }
  async function leaveGaps(id: string): Promise<void> {
    await sql`update reports set coverage = coverage || '{"complete": false}' where id = ${id}`.execute(
      scene.database.db,
    );
  }
  /** A schedule without runs, and what makes one. */
  async function schedule() {
    const { service, token, database } = scene;
    const made = await service.as(token)("POST", "/schedules", {
      attributes: { starting_url: "https://example.com/", periodicity: null },
    });
    const scheduleId = made.json.data.id;
    const scheduled = (site: Site, at: Date, spec: Partial<ReportSpec> = {}) =>
      runReport(database.db, scene.accountId, site, { at, spec, scheduleId });
    return { scheduleId, path: `/schedules/${scheduleId}`, scheduled };
  }
  async function mute(rule: string): Promise<void> {
    await muteOnly(scene.database.db, scene.accountId, rule);
    await recountAll(scene.database.db);
  }

  describe("on the overview", () => {
    for (const [what, values, hasResult = false] of [
      ["has failed", { phase: "Failed", failure_code: "unreachable" }],
      ["is under way", { phase: "Checking", html_pending: 3 }],
      ["was cut short", { phase: "Complete", failure_code: "deadline_exceeded" }, true],
      ["could not check a single page", { phase: "Complete", html_checked: 0, html_failed: 3, html_errors: 0 }],
    ] as const)
      it(`are those of the last run with a result, and say so, when the newest one ${what}`, async () => {
        const last = await run({ "/": errors("alt", 3) }, day(0));
        await another(values);
        const [, , state, perPage] = await columns("/");
        expect(state).to.include("Numbers of the run of 5 May 2026");
        expect(perPage).to.match(hasResult ? /^3[.]0 .*3 errors$/ : /^– 3[.]0 on 5 May$/);
        expect((await open(scene.client, "/"))(`tbody a[href="/reports/${last}"]`).length).to.equal(hasResult ? 1 : 2);
      });

    it("are none while no run has a result", async () => {
      await another({ phase: "Failed", failure_code: "unreachable" });
      const [, , state, ...numbers] = await columns("/");
      expect(state).to.include("No run has a result yet");
      expect(numbers.slice(0, 3)).to.deep.equal(["–", "–", "–"]);
    });

    it("are those of no result where nothing could be checked", async () => {
      await another({ phase: "Complete", html_checked: 0, html_failed: 3, html_errors: 0 });
      expect((await columns("/"))[2]).to.match(/^No result/);
    });

    it("say where not everything was checked", async () => {
      const id = await run({ "/": errors("alt", 3) }, day(0));
      expect((await columns("/"))[2]).to.not.include("not everything");
      await leaveGaps(id);
      expect((await columns("/"))[2]).to.match(/^No limits set \(not everything was checked\)/);
      await another({ phase: "Failed", failure_code: "unreachable" });
      expect((await columns("/"))[2]).to.match(/Numbers of the run of 5 May 2026.* \(not everything was checked\)$/);
    });

    it("draw what counts now of each run, as everywhere else", async () => {
      await run({ "/": [...errors("alt", 4), ...errors("label", 2)] }, day(0));
      const id = await run({ "/": errors("label", 2) }, day(1));
      await mute("alt");
      for (const [path, drawing] of [
        ["/", ".sparkline"],
        [`/reports/${id}`, ".plot [role=img]"],
      ] as const)
        expect((await open(scene.client, path))(drawing).attr("aria-label"), path).to.match(/: 2, 2$/);
    });

    it("draw no line through runs of other settings, nor through unfinished ones", async () => {
      await run({ "/": errors("alt", 3) }, day(0), { maxPages: 10 });
      await run({ "/": errors("alt", 90) }, day(1), { maxPages: 500 });
      await run({ "/": errors("alt", 2) }, day(2), { maxPages: 10 });
      await another({ phase: "Failed", failure_code: "unreachable" });
      const label = (await open(scene.client, "/"))(".sparkline").attr("aria-label");
      expect(label).to.match(/: 3, 2$/);
    });
  });

  describe("on the page of a run", () => {
    it("are of the pages that there are, without addresses that lead to none", async () => {
      const id = await run({ "/": errors("alt", 1) }, day(0));
      const pages = { found: 2, checked: 1, failed: 1, left_out: {} };
      await sql`update reports set num_pages = 2, coverage = coverage || ${JSON.stringify({ pages })}::jsonb
        where id = ${id}`.execute(scene.database.db);
      const said = await text(`/reports/${id}`);
      expect(said).to.include("1 of 1 page checked · 1 address without a page").and.not.include("1 of 2");
    });

    it("stand below what was left out, with every code that the API has", async () => {
      const { db } = scene.database;
      const id = await run({ "/": errors("alt", 1) }, day(0));
      const derived: readonly string[] = [
        ...["nothing_checked", "crawl_cut_short", "pages_failed", "trap", "list_limit", "exclusion_unused"],
        "ignore_matched_nothing",
      ];
      const codes = Object.keys(noticeTexts).filter((code): code is StoredCode => !derived.includes(code));
      const said = codes.map((code) => ({ code, url: `https://example.com/${code}`, howMany: 1, detail: "" }));
      await writeNotices(db, id, said);
      await db.transaction().execute((trx) => judgeReport(trx, id));
      const { json } = await scene.service.as(scene.token)("GET", `/reports/${id}`);
      const { complete, notices } = json.data.attributes.coverage as NonNullable<Attributes<"report">["coverage"]>;
      expect(complete).to.equal(false);
      const ofApi = notices.map(({ code }) => code);
      expect(ofApi).to.have.members(codes);
      const page = await open(scene.client, `/reports/${id}`);
      const shown = page("[data-notice]").toArray();
      expect(shown.map((notice) => page(notice).attr("data-notice"))).to.deep.equal(ofApi);
    });

    it("are no result of one that failed, which leads to the last run that has one", async () => {
      const last = await run({ "/": errors("alt", 3) }, day(0));
      const id = await another({ phase: "Failed", failure_code: "unreachable", html_checked: 0 });
      const said = await text(`/reports/${id}`);
      expect(said).to.include("There is no result").and.not.include("7");
      expect(said).to.include("The last run with a result: 5 May 2026").and.include("3 errors");
      expect((await open(scene.client, `/reports/${id}`))(`p a[href="/reports/${last}"]`).length).to.equal(1);
    });

    it("are called what was found so far while it is under way", async () => {
      const id = await another({ phase: "Checking", html_pending: 3 });
      expect(await text(`/reports/${id}`, "h2")).to.include("Found so far");
      const done = await run({ "/": errors("alt", 1) }, day(0));
      expect(await text(`/reports/${done}`, "h2")).to.not.include("so far");
    });

    it("name the run that they are compared with, and what it did not share", async () => {
      const main = await run({ "/": errors("alt", 3) }, day(0), { maxPages: 10 });
      const own = await run({ "/": errors("alt", 2) }, day(1), { maxPages: 500, baseId: main });
      const said = await text(`/reports/${own}`);
      expect(said).to.include("Compared with the run of 5 May 2026");
      expect(said).to.include("other settings").and.include("maximum pages");
      expect(await text(`/reports/${own}/changes`)).to.include("Compared with the run of 5 May 2026");
    });

    it("are not compared with those of another scope, and say which settings differ", async () => {
      await run({ "/": errors("alt", 3) }, day(0), { maxPages: 10, exclusions: ["/shop"] });
      const id = await run({ "/": errors("alt", 2) }, day(1), { maxPages: 500 });
      const said = await text(`/reports/${id}`);
      expect(said).to.include(
        "Not compared with the run before, which had other settings: what is left out, maximum pages.",
      );
      expect(said).to.not.include("fixed");
    });

    it("stand in a trend of the same settings, which says what it leaves out", async () => {
      await run({ "/": errors("alt", 3) }, day(0), { maxPages: 10 });
      await run({ "/": errors("alt", 90) }, day(1), { maxPages: 500 });
      const id = await run({ "/": errors("alt", 2) }, day(2), { maxPages: 10 });
      await another({ phase: "Failed", failure_code: "unreachable" });
      const page = await open(scene.client, `/reports/${id}`);
      const trend = page('section[aria-labelledby="trend"]');
      expect(trend.find("tbody tr").length).to.equal(2);
      expect(trend.text()).to.not.include("90");
      expect(trend.text()).to.include("Left out: 1 run with other settings (maximum pages).");
      expect(trend.text()).to.include("Left out: 1 run without a result of the whole site.");
    });

    it("say what is muted now, and what was counted when it ended, also to whoever has the link", async () => {
      const { database, client } = scene;
      await run({ "/": [...errors("alt", 43), ...errors("label", 169)] }, day(0));
      const id = await run({ "/": [] }, day(1));
      await client.get(`/reports/${id}`);
      await client.post(`/reports/${id}/share`, { shared: "true" });
      expect(await text(`/r/${id}`))
        .to.include("212 fixed")
        .and.not.include("muted");
      await mute("alt");
      for (const path of [`/reports/${id}`, `/r/${id}`]) {
        expect(await text(path), path).to.include("169 fixed (212 when it ended, 43 of them muted now)");
        expect(await text(path, 'section[aria-labelledby="comparison"] tbody'), path).to.match(/^fixed169043/);
      }
      const row = await findReport(database.db, id);
      expect(row?.end?.comparison?.states).to.deep.equal([
        { kind: "html", state: "fixed", issue_type: "error", impact_order: null, how_many: 212 },
      ]);
    });

    it("keep what was counted of errors when some are muted", async () => {
      const id = await run({ "/": [...errors("alt", 4), ...errors("label", 2)] }, day(0));
      await mute("alt");
      const said = await text(`/reports/${id}`);
      expect(said).to.include("Muted now, and not counted: 4 errors, 0 warnings.");
      expect(said).to.include("Counted when it ended: 6 errors, 0 warnings, 5 May 2026");
      expect((await columns("/"))[3]).to.match(/2 errors ?6 when it ended$/);
    });

    it("keep what was counted when a page is checked again, and say what is counted now", async () => {
      const { db } = scene.database;
      const base = await run({ "/": errors("alt", 5) }, day(0));
      const id = await run({ "/": errors("alt", 3) }, day(1));
      const page = await db.selectFrom("web_pages").select("id").where("report_id", "=", id).executeTakeFirstOrThrow();
      const end = (await findReport(db, id))?.end;
      await requeuePage(db, id, page.id, day(2));
      const { checks } = await leaseChecks(db, { reportId: id, kind: "html" }, 1, "2026-05-01");
      const outcome: CheckOutcome = {
        kind: "html",
        engine: { name: reportSpec().htmlEngine, version: "1" },
        issues: [],
      };
      const results = checks.map((lease) => ({ lease, outcome }));
      await recordOutcomes(db, { reportId: id, kind: "html", spec: reportSpec() }, results, day(2));
      const again = await compareReports(db, id, base);
      expect(await endReport(db, id, "Complete", day(2), again?.id)).to.equal(true);
      expect((await findReport(db, id))?.end).to.deep.equal(end);
      expect(await text(`/reports/${id}`))
        .to.include("0 new, 5 fixed (2 when it ended)")
        .and.include("Counted when it ended: 3 errors");
    });
  });

  it("of a schedule are nothing for a run without a result, and mark where settings changed", async () => {
    const { scheduleId, path, scheduled } = await schedule();
    await scheduled({ "/": errors("alt", 3) }, day(0), { maxPages: 10 });
    await scheduled({ "/": errors("alt", 9) }, day(1), { maxPages: 500 });
    await scheduled({ "/": errors("alt", 8) }, day(2), { maxPages: 500 });
    await another({ phase: "Failed", failure_code: "unreachable", schedule_id: scheduleId, inserted_at: day(3) });
    const rows = await Promise.all([0, 1, 2, 3].map((row) => columns(path, row)));
    const failed = rows.find(([, result]) => result === "Could not be checked");
    expect(failed?.slice(2)).to.deep.equal(["–", "–", "–"]);
    const first = rows.filter(([name]) => name?.includes("Other settings than the run before"));
    expect(first.map(([, , found, , changes]) => [found, changes])).to.deep.include(["9", "–"]);
    expect(rows.find(([, , found]) => found === "8")?.[4]).to.equal("0 new, 1 fixed");
    const chart = await open(scene.client, path);
    expect(chart(".plot rect").length).to.equal(3);
    expect(chart(".plot [role=img]").text()).to.include("✕");
    expect(chart(".plot .break").length).to.equal(1);
  });

  it("of a schedule mark where settings changed also between two parts of the list, and when a secret did", async () => {
    const { path, scheduled } = await schedule();
    await scheduled({ "/": [] }, day(0), { basicAuthSecret: "one" });
    await scheduled({ "/": [] }, day(1), { basicAuthSecret: "other" });
    await scheduled({ "/": [] }, day(2), { basicAuthSecret: "other" });
    const marks = await Promise.all([1, 2, 3].map((part) => text(`${path}?page_size=1&page=${part}`, "tbody th")));
    expect(marks.map((mark) => mark.match(/Other settings .*/)?.[0])).to.deep.equal([
      undefined,
      "Other settings than the run before: credentials",
      undefined,
    ]);
  });

  it("of a schedule are drawn of the whole site, and say where not everything was checked", async () => {
    const { scheduleId, path, scheduled } = await schedule();
    await scheduled({ "/": errors("alt", 4) }, day(0));
    const id = await scheduled({ "/": errors("label", 4) }, day(1));
    await another({ phase: "Complete", failure_code: "deadline_exceeded", schedule_id: scheduleId });
    await leaveGaps(id);
    const bars = async () => {
      const page = await open(scene.client, path);
      return page(".plot rect")
        .toArray()
        .map((bar) => page(bar).attr("height"));
    };
    expect(await bars()).to.deep.equal(["130", "130"]);
    await mute("alt");
    expect(await bars()).to.deep.equal(["0", "130"]);
    expect(await text(path, "tbody")).to.include("No limits set (not everything was checked)");
  });
});
