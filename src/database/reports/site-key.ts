import { createHash } from "node:crypto";
import { type RawBuilder, type SqlBool, sql } from "kysely";

/** The site of which people say something: all reports of it have that alike. */
export type SiteKey = { accountId: string; guestToken: string | null; startingUrl: string };

/** The id of the site that starts at a URL. */
export function siteIdOf(startingUrl: string): string {
  return createHash("md5").update(startingUrl).digest("hex");
}

/** A condition for rows of tables that have the columns of the key. */
export const isOfSite = ({ accountId, guestToken, startingUrl }: SiteKey): RawBuilder<SqlBool> =>
  sql<SqlBool>`account_id = ${accountId} and guest_token = coalesce(${guestToken}::text, '') and starting_url = ${startingUrl}`;
