import ipaddr from "ipaddr.js";
import type { Kysely } from "kysely";
import { nameIn } from "../../domain/audit/entry.ts";
import type { Database } from "../tables.ts";
import { insertEntry } from "./entries.ts";

/** Where somebody signs in, as the request says it. */
export type SignInOrigin = { address: string | undefined; agent: string | undefined; requestId: string | null };

/** Notes that somebody signed in to the pages, or tried to with a wrong password: each attempt counts against its limits. */
export async function noteSignIn(
  db: Kysely<Database>,
  tokenId: string,
  { outcome, at, origin }: { outcome: "in" | "wrong"; at: Date; origin: SignInOrigin },
): Promise<void> {
  const row = await db
    .selectFrom("api_tokens")
    .select(["account_id", "kind", "guest_token"])
    .where("id", "=", tokenId)
    .executeTakeFirst();
  if (!row) return;
  const { address = "", agent, requestId } = origin;
  await insertEntry(db, {
    ...{ accountId: row.account_id, at, whoId: tokenId, whoName: null },
    who: row.kind === "person" ? "person" : row.guest_token === null ? "token" : "guest",
    operation: outcome === "in" ? "signIn" : "failToSignIn",
    verb: outcome === "in" ? "signed in" : "did not get in: wrong password",
    ...{ area: "sign-ins", outcome: "done", target: null, changes: [], via: "browser", requestId },
    address: ipaddr.isValid(address) ? ipaddr.process(address).toString() : null,
    agent: agent === undefined ? null : nameIn(agent),
  });
}
