import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { listBasicAuths } from "../../../src/database/accounts/basic-auths.ts";
import { listGuests } from "../../../src/database/accounts/guests.ts";
import { listMutings } from "../../../src/database/accounts/mutings.ts";
import { listTokens } from "../../../src/database/accounts/tokens.ts";
import { type FindingFilter, type FindingPlace, listFindings } from "../../../src/database/findings/findings.ts";
import { listComponents } from "../../../src/database/findings/list-components.ts";
import { type IssueQuery, listCommonIssues, listIssues } from "../../../src/database/reports/issues.ts";
import { listReports, type ReportQuery, reportSortKeys } from "../../../src/database/reports/read-reports.ts";
import { listWebPages, type WebPageQuery } from "../../../src/database/reports/web-pages.ts";
import { listSchedules } from "../../../src/database/schedules/schedules.ts";
import type { Database } from "../../../src/database/tables.ts";
import { componentSortKeys } from "../../../src/domain/findings/components.ts";
import { pageStatuses } from "../../../src/domain/page/page-status.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { planReader } from "../../support/rows-read.ts";

/** Rows of each list in the account; a list's first page must not read more than a few of them. */
const ROWS = 3_000;
const MAX_ROWS_READ = 200;
const page = { limit: 25, offset: 0 };

/** Common issues of a large report, and how many other reports there are. */
const COMMON = 100;
const OTHERS = 10;

describe("the lists of a large account", () => {
  let database: TestDatabase;
  let plans: ReturnType<typeof planReader>;
  let db: Kysely<Database>;
  let accountId: string;
  let scheduleId: string;

  before(async () => {
    database = await createTestDatabase();
    plans = planReader(database);
    db = plans.db;
    accountId = await insertAccount(database.db);
    scheduleId = await fill(database.db, accountId);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** How many rows a full page of the list reads. */
  async function rowsRead(list: () => Promise<{ rows: unknown[] }>): Promise<number> {
    const { listed, read } = await plans.rowsRead(list);
    expect(listed).to.equal(page.limit);
    return read;
  }

  const reports = (query: Partial<ReportQuery> = {}) =>
    listReports(db, {
      ...{ accountId, sites: null, createdBy: "all", sort: { key: "last_checked_at", direction: "desc" }, page },
      ...query,
    });

  for (const key of reportSortKeys)
    for (const direction of ["asc", "desc"] as const)
      it(`read few reports for the order ${key}-${direction}`, async () => {
        expect(await rowsRead(() => reports({ sort: { key, direction } }))).to.be.at.most(MAX_ROWS_READ);
      });

  it("read nothing but the order of the reports before a late page", async () => {
    const offset = 400;
    const read = await rowsRead(() => reports({ page: { ...page, offset } }));
    expect(read).to.be.within(offset, offset + 3 * page.limit);
  });

  const filters: [string, () => Partial<ReportQuery>][] = [
    ["the account's own", () => ({ createdBy: "me" })],
    ["those of guests", () => ({ createdBy: "guests" })],
    ["those of one guest", () => ({ createdBy: { guestTokens: ["guest-7"] } })],
    ["those of a schedule", () => ({ scheduleId })],
    ["those with a tag", () => ({ tags: { mode: "any", list: ["rare"] } })],
    ["those with all of two tags", () => ({ tags: { mode: "all", list: ["rare", "often"] } })],
    ["those without a tag", () => ({ tags: { mode: "none", list: ["rare"] } })],
    ["those with a text in their URL", () => ({ url: "example.com/" })],
  ];
  for (const [name, filter] of filters)
    it(`read few reports for ${name}`, async () => {
      expect(await rowsRead(() => reports(filter()))).to.be.at.most(MAX_ROWS_READ);
    });

  const lists: [string, (guestToken: string | null) => Promise<{ rows: unknown[] }>][] = [
    ["schedules", (guestToken) => listSchedules(db, { accountId, guestToken, sites: null, page })],
    ["mutings", (guestToken) => listMutings(db, { accountId, guestToken, sites: null }, {}, { now: new Date(), page })],
    ["tokens", (guestToken) => listTokens(db, { accountId, guestToken }, page, new Date())],
    ["credentials", (guestToken) => listBasicAuths(db, { accountId, guestToken, sites: null }, page)],
  ];
  for (const [name, list] of lists)
    for (const guestToken of [null, "guest-7"])
      it(`read few ${name}${guestToken === null ? "" : " of one guest"}`, async () => {
        expect(await rowsRead(() => list(guestToken))).to.be.at.most(MAX_ROWS_READ);
      });

  it("read few guests", async () => {
    expect(
      await rowsRead(() => listGuests(db, { accountId, guestToken: null, scope: "write" as const }, page, new Date())),
    ).to.be.at.most(MAX_ROWS_READ);
  });
});

describe("the lists of a large report", () => {
  let database: TestDatabase;
  let plans: ReturnType<typeof planReader>;
  let db: Kysely<Database>;
  let base: string;
  let reportId: string;
  let comparisonId: string;

  before(async () => {
    database = await createTestDatabase();
    plans = planReader(database);
    db = plans.db;
    const accountId = await insertAccount(database.db);
    // Among those of others, since PostgreSQL reads the whole of a table that has nothing else.
    base = await fillReport(database.db, accountId);
    for (let index = 0; index < OTHERS; index += 1)
      await fillComparison(database.db, await fillReport(database.db, accountId), base);
    reportId = await fillReport(database.db, accountId);
    comparisonId = await fillComparison(database.db, reportId, base);
    await sql`analyze`.execute(database.db);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const findings = (filter: Partial<FindingFilter>, after?: FindingPlace, reportIds = [reportId]) =>
    listFindings(db, reportIds, { comparisonId, muted: false, ...filter }, { size: 25, ...(after && { after }) });

  const filters: [string, Partial<FindingFilter>][] = [
    ["all", {}],
    ["those of a rule", { rule: "rule-7" }],
    ["those of a severity", { impact: "critical" }],
    ["warnings", { issueType: "warning" }],
    ["those of a rule and a severity", { rule: "rule-7", impact: "critical" }],
    ["those of a component", { component: "00000000000000000007" }],
    ["muted ones", { muted: true }],
    ["new ones", { state: "new" }],
    ["those that persist", { state: "persisting" }],
    ["those that persist of a rule", { state: "persisting", rule: "rule-7" }],
  ];
  for (const [name, filter] of filters)
    it(`read few findings for ${name}`, async () => {
      const { listed, read } = await plans.rowsRead(() => findings(filter));
      expect(listed).to.equal(25);
      expect(read).to.be.at.most(MAX_ROWS_READ);
    });

  for (const state of ["fixed", "unknown"] as const)
    it(`read few findings for those that are ${state}, which may be of the base`, async () => {
      const reportIds = state === "fixed" ? [base] : [reportId, base];
      const { listed, read } = await plans.rowsRead(() => findings({ state }, undefined, reportIds));
      expect(listed).to.equal(25);
      expect(read).to.be.at.most(2 * MAX_ROWS_READ);
    });

  it("read few findings for a page deep in the list", async () => {
    const after = { issueType: "warning", severity: 1, rule: "rule-7", id: "1" };
    const { listed, read } = await plans.rowsRead(() => findings({}, after));
    expect(listed).to.equal(25);
    expect(read).to.be.at.most(MAX_ROWS_READ);
  });

  const pages = (query: Partial<WebPageQuery>) => listWebPages(db, reportId, { page, ...query });
  for (const status of pageStatuses)
    it(`read few pages for those that are ${status}`, async () => {
      const { listed, read } = await plans.rowsRead(() => pages({ status }));
      expect(listed).to.equal(25);
      expect(read).to.be.at.most(2 * MAX_ROWS_READ);
    });
  for (const direction of ["asc", "desc"] as const) {
    it(`read few pages for the order url-${direction}`, async () => {
      expect((await plans.rowsRead(() => pages({ sort: { key: "url", direction } }))).read).to.be.at.most(
        MAX_ROWS_READ,
      );
    });
    it(`read each page and its checks once for the order errors-${direction}`, async () => {
      const { read } = await plans.rowsRead(() => pages({ sort: { key: "errors", direction } }));
      expect(read).to.be.at.most(2 * ROWS + MAX_ROWS_READ);
    });
  }

  for (const key of componentSortKeys)
    it(`read each finding once for the components in the order ${key}`, async () => {
      const filter = { comparisonId, muted: false };
      const { read } = await plans.rowsRead(() =>
        listComponents(db, reportId, filter, { key, direction: "desc" }, page),
      );
      expect(read).to.be.at.most(ROWS + 10 * COMMON);
    });
  it("read the findings of one rule for its components", async () => {
    const filter = { comparisonId, muted: false, rule: "rule-7" };
    const { read } = await plans.rowsRead(() =>
      listComponents(db, reportId, filter, { key: "pages", direction: "desc" }, page),
    );
    expect(read).to.be.at.most(2 * MAX_ROWS_READ);
  });

  const common: [string, Partial<IssueQuery>][] = [
    ["how_many", { sort: { key: "how_many", direction: "desc" } }],
    ["a rule", { rule: "rule-7" }],
    ["warnings", { issueType: "warning" }],
    ["a state", { state: "new" }],
  ];
  for (const [name, query] of common)
    it(`read the common issues of the report alone for ${name}`, async () => {
      const { read } = await plans.rowsRead(() =>
        listCommonIssues(db, "html", reportId, { muted: false, page, ...query }),
      );
      expect(read).to.be.at.most(6 * COMMON + 25 * (ROWS / COMMON));
    });
  it("count the pages of each common issue once for the order pages", async () => {
    const sort = { key: "pages", direction: "desc" } as const;
    const { read } = await plans.rowsRead(() => listCommonIssues(db, "html", reportId, { muted: false, page, sort }));
    expect(read).to.be.at.most(ROWS + 6 * COMMON);
  });

  it("read the issues of one page alone for every filter", async () => {
    const { id } = await database.db
      .selectFrom("web_pages")
      .select("id")
      .where("report_id", "=", reportId)
      .limit(1)
      .executeTakeFirstOrThrow();
    for (const query of [{ state: "new" }, { rule: "rule-7" }, { issueType: "error" }] as const) {
      const { read } = await plans.rowsRead(() => listIssues(db, "html", id, { muted: false, page, ...query }));
      expect(read, JSON.stringify(query)).to.be.at.most(50);
    }
  });
});

/** A report of ROWS pages, each with a check and an issue with one finding: of each kind of thing a few. */
async function fillReport(db: Kysely<Database>, accountId: string): Promise<string> {
  const id = await insertReport(db, { accountId });
  const numbers = sql`generate_series(1, ${ROWS}::integer) n`;
  await sql`
    insert into web_pages (report_id, url, http_status)
    select ${id}, 'https://example.com/' || n, 200 from ${numbers}`.execute(db);
  const pages = sql`(select p.id, row_number() over (order by p.id) as n from web_pages p where p.report_id = ${id}) p`;
  await sql`
    insert into checks (report_id, web_page_id, kind, errors, status)
    select ${id}, p.id, 'html', p.n % 97,
      case p.n % 60 when 0 then 'failed' when 1 then 'queued' when 2 then 'leased' else 'checked' end from ${pages}`.execute(
    db,
  );
  await sql`
    insert into common_issues (report_id, kind, key, issue_type, rule, message, how_many)
    select ${id}, 'html', n::text::bytea, case when n % 10 = 0 then 'warning' else 'error' end, 'rule-' || n, 'm', 1
    from generate_series(1, ${COMMON}::integer) n`.execute(db);
  await sql`
    insert into issues (report_id, kind, web_page_id, common_id, issue_type, rule, message, html, how_many, muting_id)
    select ${id}, 'html', p.id, c.id, c.issue_type, c.rule, c.message, '[]', 1, case when p.n % 50 = 3 then 1 end
    from ${pages} join common_issues c
      on c.report_id = ${id} and c.key = (p.n % ${COMMON}::integer + 1)::text::bytea`.execute(db);
  await sql`
    insert into findings (report_id, kind, found_at, web_page_id, issue_id, rule, issue_type, impact_order,
      fingerprint, component, how_many, muting_id)
    select ${id}, 'html', now(), i.web_page_id, i.id, i.rule, i.issue_type,
      case when i.rule in ('rule-7', 'rule-9') then 4 else 3 end, decode(lpad(i.id::text, 20, '0'), 'hex'),
      decode(lpad(substr(i.rule, 6), 20, '0'), 'hex'), 1, i.muting_id
    from issues i where i.report_id = ${id}`.execute(db);
  return id;
}

/**
 * Of the report's findings each sixtieth is new, and another one unknown; of the base's each sixtieth is fixed.
 *
 * @returns the comparison's id
 */
async function fillComparison(db: Kysely<Database>, reportId: string, baseId: string): Promise<string> {
  const values = { report_id: reportId, base_id: baseId, report_checked_at: new Date(), base_checked_at: new Date() };
  const { id } = await db
    .insertInto("comparisons")
    .values({ ...values, counts: "[]" })
    .returning("id")
    .executeTakeFirstOrThrow();
  await sql`
    insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
    select ${id}, f.id, case row_number() over (order by f.id) % 60 when 0 then 'new' when 1 then 'unknown' else 'persisting' end,
      1, now()
    from findings f where f.report_id = ${reportId} and f.muting_id is null`.execute(db);
  await sql`
    insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
    select ${id}, f.id, case when row_number() over (order by f.id) % 60 = 0 then 'fixed' else 'unknown' end, 1, now()
    from findings f where f.report_id = ${baseId} and f.muting_id is null`.execute(db);
  await sql`
    insert into compared_issues (comparison_id, common_id, is_muted, state, how_many, first_seen_at)
    select distinct ${id}::bigint, i.common_id, false, c.state, 1, now()
    from compared_findings c join findings f on f.id = c.finding_id join issues i on i.id = f.issue_id
    where c.comparison_id = ${id}`.execute(db);
  await db.updateTable("reports").set({ comparison_id: id }).where("id", "=", reportId).execute();
  return id;
}

/** ROWS of everything that an account lists, a tenth of them guests', distributed evenly. @returns a schedule's id */
async function fill(db: Kysely<Database>, accountId: string): Promise<string> {
  const spec = JSON.stringify(reportSpec());
  const guest = sql.raw("case when n % 10 = 7 then 'guest-' || n % 20 end");
  const numbers = sql`generate_series(1, ${ROWS}::integer) n`;
  await sql`
    insert into guest_accounts (token, account_id, max_usage, inserted_at)
    select 'guest-' || n, ${accountId}, 10, now() - n * interval '1 minute' from ${numbers}`.execute(db);
  await sql`
    insert into schedules (id, account_id, guest_token, namespace, name, uid, spec, starting_url, inserted_at)
    select gen_random_uuid(), ${accountId}, ${guest}, 'default', 's' || n, n, ${spec}, 'https://example.com/' || n,
      now() - n * interval '1 minute' from ${numbers}`.execute(db);
  const schedule = await db.selectFrom("schedules").select("id").limit(1).executeTakeFirstOrThrow();
  await sql`
    insert into reports (id, account_id, guest_token, schedule_id, namespace, name, uid, spec, starting_url, domain,
      tags, num_pages, last_checked_at, inserted_at)
    select gen_random_uuid(), ${accountId}, ${guest}, case when n % 50 = 0 then ${schedule.id}::uuid end,
      'default', 'r' || n, n, ${spec}, 'https://example.com/' || n % 100, 'example.com',
      array['often'] || case when n % 60 = 0 then array['rare'] else '{}' end,
      n % 9, now() - n * interval '1 minute', now() - n * interval '1 day'
    from ${numbers}`.execute(db);
  await sql`
    insert into check_counts (report_id, account_id, kind, errors, warnings)
    select id, account_id, kind, case kind when 'html' then n % 8 else n % 6 end, case kind when 'html' then n % 7 else n % 5 end
    from (select id, account_id, uid::integer as n from reports where account_id = ${accountId}) r,
      unnest(array['html', 'a11y', 'links']) as kinds (kind)`.execute(db);
  await sql`
    insert into mutings (account_id, guest_token, criteria)
    select ${accountId}, ${guest}, '{"rule": "x"}' from ${numbers}`.execute(db);
  await sql`
    insert into api_tokens (account_id, guest_token, name, scope, token_hash, inserted_at)
    select ${accountId}, ${guest}, 'n', 'read', n::text::bytea, now() - n * interval '1 minute' from ${numbers}`.execute(
    db,
  );
  await sql`
    insert into basic_auths (account_id, guest_token, host, username, password_encrypted, inserted_at)
    select ${accountId}, ${guest}, 'h', 'u', 'p', now() - n * interval '1 minute' from ${numbers}`.execute(db);
  await sql`analyze`.execute(db);
  return schedule.id;
}
