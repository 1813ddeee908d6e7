// More than ten seconds of processor time: a service of its own makes the PDF in a Job with a browser.
import { expect } from "chai";
import { sql } from "kysely";
import type { One } from "../../../src/api/documents.ts";
import { printPdf } from "../../../src/browser/print-pdf.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { ensureJobRole, jobToken, ownLogin, withLogin } from "../../../src/database/job-role.ts";
import {
  askMonthFile,
  deleteOldMonthFiles,
  endMonthFile,
  readMonthHtml,
} from "../../../src/database/months/month-files.ts";
import { MAX_FILES } from "../../../src/domain/months/month-file.ts";
import { monthFile } from "../../../src/web/month-file.ts";
import { accountWithToken, startTestApi } from "../../support/api.ts";
import { insertAccount } from "../../support/builders.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually, limitOf } from "../../support/wait.ts";
import { signedIn, startWebService } from "../../support/web-service.ts";

const month = new Date().toISOString().slice(0, 7);

describe("The PDF of a month", () => {
  it("is made by a Job when a person asks for it, can be saved, and leaves no Job behind", async function () {
    this.timeout(limitOf(120));
    const database = await createTestDatabase();
    const service = await startWebService({ DATABASE_URL: database.url, FIRST_TOKEN: "svt_of-the-test-of-months" });
    const jobs = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::integer as n from cluster_objects where kind = 'Job'`.execute(database.db);
      return rows[0]?.n;
    };
    try {
      const client = await signedIn(service);
      expect((await client.get(`/months/${month}`)).html).to.include("As PDF");
      const asked = await client.post(`/months/${month}/file`, {});
      expect([asked.status, asked.location]).to.deep.equal([303, `/months/${month}`]);
      await eventually(
        async () => {
          const { html } = await client.get(`/months/${month}`);
          expect(html).not.to.include("could not be made");
          return html.includes(`/months/${month}/report.pdf`);
        },
        { seconds: 60 },
      );
      const headers = { cookie: client.cookie() };
      const answer = await fetch(`${service.url}/months/${month}/report.pdf`, { headers });
      expect(answer.headers.get("content-type")).to.equal("application/pdf");
      expect(
        Buffer.from(await answer.arrayBuffer())
          .subarray(0, 5)
          .toString(),
      ).to.equal("%PDF-");
      const made = await sql`select from cluster_changes where type = 'ADDED' and object ->> 'kind' = 'Job'`.execute(
        database.db,
      );
      expect(made.rows).to.have.length(1);
      await eventually(async () => (await jobs()) === 0, { seconds: 30 });
      expect(
        (await database.db.selectFrom("month_files").select("has_job").execute()).map(({ has_job }) => has_job),
      ).to.deep.equal([...[false]]);
    } finally {
      await service.close();
      await database.drop();
    }
  });

  it("has two or three pages of A4 for forty sites", async () => {
    const database = await createTestDatabase();
    const { token, accountId } = await accountWithToken(database);
    const api = await startTestApi(database);
    try {
      const site: Site = { "/": ["alt img one", "id p one"], "/a": ["alt img one"] };
      const spec = { startingUrl: "https://library.town-hall.example.com/" };
      await runReport(database.db, accountId, site, { at: new Date(), spec });
      const { json } = await api.as(token)("GET", `/months/${month}`);
      const document = json as unknown as One<"month_report">;
      const { sites } = document.data.attributes;
      const forty = Array.from({ length: 40 }, (_, index) => ({ ...sites[0], site_id: String(index) }));
      Object.assign(document.data.attributes, { sites: forty, num_sites: 40 });
      const html = await monthFile(document, { now: new Date(), base: "https://checks.example.net" });
      const options = { chromePath: process.env.CHROME_PATH, log: testLog, timeLimitMs: 60_000 };
      const pdf = Buffer.from(await printPdf(html, options)).toString("latin1");
      expect(pdf.match(/\/Type \/Page\b/g)?.length).to.be.within(2, 3);
    } finally {
      await api.close();
      await database.drop();
    }
  });

  describe("as it is stored", () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await createTestDatabase();
    });
    afterEach(() => database?.drop());
    const rows = () => database.db.selectFrom("month_files").selectAll().orderBy("month").execute();
    const now = new Date("2026-12-01T09:00:00Z");
    const ask = (accountId: string, of: string, html = "<p>x") =>
      askMonthFile(database.db, { accountId, guestToken: null, sites: null }, of, { html, now });

    it("is seen by its own Job alone, which sees nothing else", async () => {
      const [one, two] = [await insertAccount(database.db), await insertAccount(database.db)];
      await ask(one, "2026-11", "<p>one");
      await ask(two, "2026-11", "<p>two");
      const [mine, theirs] = await rows();
      const login = ownLogin(database.url);
      expect(await ensureJobRole(database.db, login)).to.equal(true);
      const url = `${withLogin(database.url, login)}${database.url.includes("?") ? "&" : "?"}job_token=${await jobToken(database.db, mine?.id ?? "")}`;
      const job = connect({ url, applicationName: "test", maxConnections: 1, onIdleError: () => {} });
      try {
        expect(await readMonthHtml(job, mine?.id ?? "")).to.include("<p>");
        expect(await readMonthHtml(job, theirs?.id ?? "")).to.equal(undefined);
        await endMonthFile(job, theirs?.id ?? "", { pdf: Buffer.from("%PDF-x") });
        const seen = await sql<{ n: number }>`select count(*)::integer as n from reports`.execute(job);
        expect(seen.rows[0]?.n).to.equal(0);
        const refused = await sql`select account_id from month_files`.execute(job).catch((error) => error.code);
        expect(refused).to.equal("42501");
        await endMonthFile(job, mine?.id ?? "", { pdf: Buffer.from("%PDF-x") });
      } finally {
        await job.destroy();
      }
      const states = (await rows()).map(({ id, state }) => `${id} ${state}`);
      expect(states).to.have.members([`${mine?.id} ready`, `${theirs?.id} waiting`]);
    });

    it("is not begun again while it is made, replaced afterwards, and only so many are kept, for so long", async () => {
      const accountId = await insertAccount(database.db);
      await ask(accountId, "2026-11", "<p>first");
      const [first] = await rows();
      await ask(accountId, "2026-11", "<p>second");
      expect((await rows()).map(({ id }) => id)).to.deep.equal([first?.id]);
      await endMonthFile(database.db, first?.id ?? "", { failure: "x".repeat(1_000) });
      await ask(accountId, "2026-11", "<p>third");
      const [again] = await rows();
      expect([again?.state, again?.failure, again?.id === first?.id]).to.deep.equal(["waiting", null, false]);
      for (let n = 1; n <= MAX_FILES + 2; n += 1) {
        const of = `2024-${String(((n - 1) % 12) + 1).padStart(2, "0")}`;
        await ask(accountId, n > 12 ? of.replace("2024", "2025") : of);
        for (const { id } of await rows()) await endMonthFile(database.db, id, { failure: "x" });
      }
      expect((await rows()).length).to.be.at.most(MAX_FILES + 1);
      await deleteOldMonthFiles(database.db, new Date(now.getTime() + 8 * 86_400_000));
      expect(await rows()).to.deep.equal([]);
    });

    it("is nobody else's, and none of a month that has not begun", async () => {
      const api = await startTestApi(database);
      try {
        const [mine, theirs] = [await accountWithToken(database), await accountWithToken(database)];
        expect((await api.as(mine.token)("POST", `/months/${month}/file`)).status).to.equal(201);
        expect((await api.as(mine.token)("GET", `/months/${month}/file`)).json.data.attributes).to.include({
          state: "waiting",
        });
        expect((await api.as(mine.token)("POST", `/months/${month}/file`)).status).to.equal(409);
        expect((await api.as(mine.token)("GET", `/months/${month}/file.pdf`)).status).to.equal(404);
        for (const path of [`/months/${month}/file`, `/months/${month}/file.pdf`])
          expect((await api.as(theirs.token)("GET", path)).status, path).to.equal(404);
        for (const wrong of ["9999-99", "2999-01"])
          expect((await api.as(mine.token)("POST", `/months/${wrong}/file`)).status, wrong).to.equal(404);
      } finally {
        await api.close();
      }
    });
  });
});
