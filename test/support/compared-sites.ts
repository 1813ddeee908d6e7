import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { findBase } from "../../src/database/findings/comparisons.ts";
import type { Database } from "../../src/database/tables.ts";
import { type ActingRuleName, tagsOfRule } from "../../src/domain/acting/rules.ts";
import { sectionOf } from "../../src/domain/addresses/section.ts";
import type {
  A11yIssue,
  CheckKind,
  CheckOutcome,
  Engine,
  HtmlIssue,
  Issue,
} from "../../src/domain/findings/findings.ts";
import { digest } from "../../src/domain/identity/digest.ts";
import { elementKey } from "../../src/domain/identity/element-key.ts";
import type { ReportSpec } from "../../src/schema/report.ts";
import { compareReports } from "../../src/transactions/compare.ts";
import { type CheckContext, type LeaseOutcome, recordOutcomes } from "../../src/transactions/end-checks.ts";
import { endReport } from "../../src/transactions/end-report.ts";
import { leaseChecks } from "../../src/transactions/lease-checks.ts";
import { insertReport, reportSpec } from "./builders.ts";
import { setReport } from "./check-counts.ts";

export const NOW = new Date("2026-05-05T10:00:00Z");
const MONTH = "2026-05-01";
const coordinates = { first_line: 1, last_line: 1, first_column: 1, last_column: 3, hilite_start: 0, hilite_length: 3 };

/** Stands for a notice that acting ended early, among the findings of a page. */
const NOT_ACTED = "not_acted";
/** Says of a page, among its findings, that acting left it out. */
const LIKE_OTHERS = "like_others";
/** Say of a page, among its findings, that it was compared with others, and that all ways to it were known. */
const COMPARED = "compared";
const WAYS_COMPARED = "ways_compared";
/** Stands for a notice that acting has not seen everything. */
const ACTED_IN_PART = "acted_in_part";
const marks: readonly string[] = [NOT_ACTED, ACTED_IN_PART, LIKE_OTHERS, COMPARED, WAYS_COMPARED];

/** A finding as "rule tag path", or "*" for one about the document, "?rule …" for a review of acting; or a notice. A failed page has a status instead. */
export type Page = readonly string[] | { failed: number | null };
export type Site = Record<string, Page>;
export type Run = {
  at?: Date;
  spec?: Partial<ReportSpec>;
  /** Of the engine of HTML, which the spec names. */
  version?: string;
  /** What the accessibility checks find on the same pages, where the spec asks for them. */
  a11y?: Site;
  /** What the HTML checks find on pages, as an engine has found it, in place of what the site says. */
  issues?: Readonly<Record<string, Issue[]>>;
  /** The schedule that the report is a run of. */
  scheduleId?: string;
};

/**
 * A report of a site that has ended, and is compared with the one before it, as the service does it.
 *
 * @returns its id
 */
export async function runReport(
  db: Kysely<Database>,
  accountId: string,
  site: Site,
  { at = NOW, spec: given = {}, version = "1", a11y = {}, issues = {}, scheduleId }: Run = {},
): Promise<string> {
  const spec = reportSpec(given);
  const id = await insertReport(db, { accountId, spec });
  await sql`update reports set inserted_at = ${at}, schedule_id = ${scheduleId ?? null}::uuid where id = ${id}`.execute(
    db,
  );
  const pages = Object.entries(site);
  const pageIds: string[] = [];
  for (const [path] of pages) {
    const url = `https://example.com${path}`;
    const found = a11y[path] ?? [];
    const like_others = !("failed" in found) && found.includes(LIKE_OTHERS);
    const page = { report_id: id, url, section: sectionOf(url), http_status: 200, linked_from: null, like_others };
    pageIds.push((await db.insertInto("web_pages").values(page).returning("id").executeTakeFirstOrThrow()).id);
  }
  await sql`update reports set crawl_state = 'ended', num_pages = ${pages.length} where id = ${id}`.execute(db);
  const engine = { name: spec.htmlEngine, version };
  const found = (kind: CheckKind, pagesOfKind: Site, by: Engine) => (path: string) => {
    const given = kind === "html" ? issues[path] : undefined;
    return given ? { kind, engine: by, issues: given } : outcomeOf(kind, pagesOfKind[path] ?? [], by);
  };
  const context = { reportId: id, spec };
  if (spec.performHtmlChecks)
    await checkPages(db, { ...context, kind: "html" }, pageIds, found("html", site, engine), at);
  if (spec.performA11yChecks) await checkPages(db, { ...context, kind: "a11y" }, pageIds, found("a11y", a11y, axe), at);
  for (const [place, [path]] of pages.entries()) {
    const found = a11y[path] ?? [];
    const isCompared = !("failed" in found) && found.includes(COMPARED);
    if (!isCompared) continue;
    const facts = { facts: "{}", compared: true, ways_compared: found.includes(WAYS_COMPARED) };
    await db
      .insertInto("page_facts")
      .values({ web_page_id: pageIds[place] ?? "", ...facts })
      .execute();
  }
  for (const [path, page] of pages)
    if ("failed" in page)
      await sql`update web_pages set http_status = ${page.failed}
        where report_id = ${id} and url = ${`https://example.com${path}`}`.execute(db);
  const base = await findBase(db, id);
  const compared = base === undefined ? undefined : await compareReports(db, id, base);
  expect(await endReport(db, id, "Complete", at, compared?.id)).to.equal(true);
  return id;
}

/** Ends the checks of one kind with what the engine finds. */
async function checkPages(
  db: Kysely<Database>,
  context: CheckContext,
  pageIds: readonly string[],
  found: (path: string) => CheckOutcome,
  at: Date,
): Promise<void> {
  const { reportId, kind } = context;
  for (const id of pageIds)
    await db.insertInto("checks").values({ report_id: reportId, web_page_id: id, kind }).execute();
  await setReport(db, reportId, { [`${kind}_pending`]: pageIds.length });
  const { checks } = await leaseChecks(db, { reportId, kind }, 100, MONTH);
  const results = checks.map((lease): LeaseOutcome => {
    return { lease, outcome: found(lease.url.slice("https://example.com".length)) };
  });
  await recordOutcomes(db, context, results, at);
}

/** A review has the criterion of its rule. */
function severityOf(given: string): Pick<A11yIssue, "issue_type" | "rule" | "message" | "tags"> {
  const rule = given.replace(/^\?/, "");
  if (rule === given) return { issue_type: "error", rule, message: rule, tags: [] };
  return { issue_type: "warning", rule, message: rule, tags: tagsOfRule(rule as ActingRuleName) };
}

const axe: Engine = { name: "axe-core", version: "4" };

/** What digests stand for. */
export const names = new Map<string, string>();
const named = (key: string, name: string): string => {
  names.set(key, name);
  return key;
};
const pathKey = (name: string): string => named(digest([name]), name);
const tagKey = (name: string): string =>
  named(elementKey({ name, attributes: [], ancestors: [] }, "https://example.com").tag, name);

function outcomeOf(kind: CheckKind, page: Page, engine: Engine): CheckOutcome {
  if ("failed" in page) return { kind, failure: { code: "http_error", detail: "It responded with an error." } };
  const found = Map.groupBy(
    page.filter((finding) => !marks.includes(finding)).map((finding) => finding.split(" ")),
    ([rule = ""]) => rule,
  );
  const elements = (parts: readonly string[][]) =>
    parts.map(([, tag = "", path = ""]) => ({
      extract: `<${tag}>`,
      element: tag === "*" ? null : { tag: tagKey(tag), path: pathKey(path) },
    }));
  if (kind === "html")
    return {
      ...{ kind, engine },
      issues: [...found].map(
        ([rule, parts]): HtmlIssue => ({
          ...{ issue_type: "error", rule, message: rule, help_url: null, tags: [] },
          html: elements(parts).map(({ extract, element }) => ({
            ...{ extract, element },
            coordinates: { ...coordinates, hilite_length: extract.length },
          })),
        }),
      ),
    };
  return {
    ...{ kind, engine },
    notices: ([NOT_ACTED, ACTED_IN_PART] as const).flatMap((code) =>
      page.includes(code) ? [{ code, howMany: 1, detail: "It did not react." }] : [],
    ),
    issues: [...found].map(
      ([given, parts]): A11yIssue => ({
        ...{ ...severityOf(given), help_url: "https://example.org/", impact: "serious" },
        html: elements(parts).map((one) => ({ ...one, target: "p", failure_summary: "Mend it." })),
      }),
    ),
  };
}
