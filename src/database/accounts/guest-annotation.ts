import { type RawBuilder, sql } from "kysely";
import { annotations } from "../../schema/resources.ts";

const GUEST_TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The guest that a resource's annotation names; null unless it is a guest of this account.
 * Everybody who may write resources chooses their annotations.
 */
export function annotatedGuest(
  { annotations: given }: { annotations?: Record<string, string> },
  accountId: string,
): RawBuilder<string | null> {
  const token = given?.[annotations.guest] ?? "";
  if (!GUEST_TOKEN.test(token)) return sql`null`;
  return sql`(select token from guest_accounts where token = ${token} and account_id = ${accountId})`;
}
