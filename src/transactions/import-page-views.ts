import type { Kysely } from "kysely";
import { planForWholeReports } from "../database/connection/statements.ts";
import { storeMet } from "../database/findings/met.ts";
import { listAddresses, reportWithPages, storePageViews } from "../database/reports/page-views.ts";
import type { SiteKey } from "../database/reports/site-key.ts";
import type { Database } from "../database/tables.ts";
import { matchViews } from "../domain/page-views/match.ts";
import { readViewsFile, UnreadableViews } from "../domain/page-views/read-file.ts";

/**
 * Gives a site the page views of a file, in place of those that it has. Kept are those of pages that the report has: other
 * addresses may say more of a visitor than which page was read, and are only counted.
 *
 * @param newest the newest report of the site
 * @param text the file
 * @throws UnreadableViews for a file that is not understood, or is of another site; then the site keeps what it has
 */
export async function importPageViews(
  db: Kysely<Database>,
  site: SiteKey,
  { newest, text, now }: { newest: string; text: string; now: Date },
): Promise<void> {
  const file = readViewsFile(text);
  const reportId = await reportWithPages(db, site, newest);
  const { views, without } = matchViews(file.rows, await listAddresses(db, reportId), site.startingUrl);
  if (views.size === 0) throw new UnreadableViews(noneOf(file.rows[0]?.address, file.rows.length));
  const other = { rows: file.without.rows + without.rows, views: file.without.views + without.views };
  await db.transaction().execute(async (trx) => {
    await planForWholeReports(trx);
    await storePageViews(trx, site, file, { views, other, now });
    await storeMet(trx, reportId);
  });
}

function noneOf(first: string | undefined, rows: number): string {
  if (first === undefined) return "The file names no page: no row has a path such as /products/, or an address.";
  return `None of the file's ${rows} addresses, such as ${JSON.stringify(first.slice(0, 200))}, is a page of the site's newest report. Is it the file of another site?`;
}
