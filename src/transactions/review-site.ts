import type { Kysely } from "kysely";
import { loadMutings } from "../database/accounts/mutings.ts";
import { lockChecked, storedVerdict } from "../database/checks/end-checks.ts";
import { writeNotices } from "../database/crawl/notices.ts";
import { replaceFindings } from "../database/findings/store-findings.ts";
import {
  addToChecks,
  markReviewed,
  pagesWithRules,
  readRedirects,
  readStoredFacts,
  readUnreviewed,
  talliesOf,
} from "../database/reports/site-reviews.ts";
import type { Database } from "../database/tables.ts";
import { readFacts } from "../domain/acting/page-facts.ts";
import { siteRules } from "../domain/acting/rules.ts";
import {
  areLinksKnown,
  type ReviewedPage,
  reviewPages,
  siteIssues,
  withRedirects,
} from "../domain/acting/site-reviews.ts";
import type { A11yIssue, Engine } from "../domain/findings/findings.ts";
import { judgeCheck } from "../domain/findings/judge-check.ts";
import { mutingsByPage } from "../domain/findings/muting.ts";
import { addTally, emptyTally } from "../domain/findings/tally.ts";
import { number } from "../domain/plural.ts";
import { isActing } from "../schema/a11y-depths.ts";
import type { ReportSpec } from "../schema/report.ts";

/** The most pages that are compared with each other: what is kept of them is read at once. */
const MAX_PAGES = 1_000;
/** The most redirects that are followed in what they link to. */
const MAX_REDIRECTS = 10_000;
/** Pages per transaction, which is short. */
const BATCH = 100;

/**
 * Compares the pages of a report that acts, once all of them are checked, and stores what is found as findings of its pages.
 * Does nothing to a report that was compared already; repeating it after a crash changes nothing. Their bytes are not counted:
 * they are at most five short findings a page.
 *
 * @returns false when they are to be compared again, because a page was checked meanwhile
 */
export async function reviewSite(db: Kysely<Database>, reportId: string, now: Date): Promise<boolean> {
  const report = await readUnreviewed(db, reportId);
  if (!report || !isActing(report.spec.a11yDepth) || !report.spec.storeIncompleteChecks) return true;
  const { spec } = report;
  const stored = await readStoredFacts(db, reportId, MAX_PAGES + 1);
  const known = stored.slice(0, MAX_PAGES).flatMap(({ facts: given, ...page }): ReviewedPage[] => {
    const facts = readFacts(given);
    return facts ? [{ ...page, facts }] : [];
  });
  const pages = withRedirects(known, await readRedirects(db, reportId, MAX_REDIRECTS));
  // Links to other hosts of the site are not kept.
  const isWhole =
    report.isWhole && pages.length === report.numPages && spec.sameSite.length === 0 && areLinksKnown(pages);
  const issues = new Map([...siteIssues(reviewPages(pages, { isWhole }))].map(([{ id }, ofPage]) => [id, ofPage]));
  const changed = new Set([...issues.keys(), ...(await pagesWithRules(db, reportId, siteRules))]);
  const ids = [...changed].toSorted((a, b) => Number(BigInt(a) - BigInt(b)));
  for (let at = 0; at < ids.length; at += BATCH)
    await storeReviews(db, { reportId, spec, now, issues, pageIds: ids.slice(at, at + BATCH) });
  return db.transaction().execute(async (trx) => {
    const detail = `The first ${number(MAX_PAGES)} pages were compared with each other.`;
    const notice = { code: "site_reviewed_in_part", url: "", howMany: 1, detail } as const;
    if (stored.length > MAX_PAGES) await writeNotices(trx, reportId, [notice]);
    return markReviewed(trx, reportId, report, { compared: pages.map(({ id }) => id), waysKnown: isWhole });
  });
}

type Reviews = {
  reportId: string;
  spec: ReportSpec;
  now: Date;
  issues: ReadonlyMap<string, A11yIssue[]>;
  pageIds: readonly string[];
};

function storeReviews(db: Kysely<Database>, { reportId, spec, now, issues, pageIds }: Reviews): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const locked = await lockChecked(trx, "a11y", pageIds);
    const applied = await loadMutings(trx, reportId);
    if (!applied || locked.length === 0) return;
    const mutingsOf = mutingsByPage(applied.mutings);
    const ids = locked.map((check) => check.web_page_id);
    const before = await talliesOf(trx, ids, siteRules);
    // Which engine it was is known from the pages' own checks.
    const engine: Engine = { name: "axe-core", version: "" };
    const judged = locked.map((check) => {
      const outcome = { kind: "a11y" as const, engine, issues: issues.get(check.web_page_id) ?? [] };
      const verdict = judgeCheck(outcome, { url: check.url, source: undefined }, mutingsOf(check.url), spec);
      const change = emptyTally();
      addTally(change, verdict.tally);
      const had = before.get(check.web_page_id);
      if (had) addTally(change, had, -1);
      return { check, change, issues: storedVerdict(check, verdict, undefined).issues };
    });
    const all = judged.flatMap((one) => one.issues);
    await replaceFindings(trx, "a11y", reportId, ids, all, now, siteRules);
    await addToChecks(trx, reportId, judged);
  });
}
