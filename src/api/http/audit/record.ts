import { beginEntry, dropIntent, endEntry, insertEntry, wasReadSince } from "../../../database/audit/entries.ts";
import type { Principal } from "../../../domain/accounts/principal.ts";
import type { Change } from "../../../domain/audit/changes.ts";
import type { Actor, AuditedOperation, Entry, Target } from "../../../domain/audit/entry.ts";
import { RequestError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";

/** Who does it, in whose log. `whoName` is null for a token: it is read. */
export type Doer = { accountId: string; who: Actor; whoId: string | null; whoName: string | null };

/** What the log says of a request before it is known what becomes of it. */
export type Recorded = { doer: Doer; id: string; audit: AuditedOperation; target: Target | null };

/** A caller, as the log names whoever did something. */
export const doerOf = ({ accountId, tokenId, guestToken, person }: Principal): Doer => ({
  accountId,
  who: person?.id === tokenId ? "person" : guestToken === null ? "token" : "guest",
  whoId: tokenId,
  whoName: null,
});

type Requested = Pick<Context, "deps" | "origin" | "requestId">;

/**
 * Makes a change, with an entry in the audit log. What is refused leaves none. After any other error it is not known what was
 * changed: the intent stays, and becomes an entry that says so. So it does when the database is away after the change, which
 * is then as good as made.
 *
 * @param ended what is known when it is done
 */
export async function recorded<Result>(
  { deps, origin, requestId }: Requested,
  { doer, id, audit, target }: Recorded,
  work: () => Promise<Result>,
  ended: (result: Result) => Promise<{ target: Target | null; changes: Change[] }> = async () => ({
    target,
    changes: [],
  }),
): Promise<Result> {
  const { db, log, now } = deps;
  const { verb, area } = audit;
  const intent = await beginEntry(db, {
    ...{ ...doer, ...origin(), at: now(), operation: id, verb, area, target, requestId },
  });
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) await dropIntent(db, intent.id).catch(() => {});
    throw error;
  }
  try {
    const { id: intentId, ...begun } = intent;
    const entry: Entry = { ...begun, ...(await ended(result)), outcome: "done" };
    await endEntry(db, intentId, entry);
  } catch (error) {
    log.warn("the audit log does not say yet what became of a request", { requestId, error });
  }
  return result;
}

/** Notes what was read. */
export async function recordReading(requested: Requested, record: Recorded): Promise<void> {
  await insertEntry(requested.deps.db, readingOf(requested, record));
}

const HOUR_MS = 3_600_000;

/** The same for whoever needs no token: once an hour for each thing and network, however often it is read. */
export async function recordReadingOnce(requested: Requested, record: Recorded): Promise<void> {
  const entry = readingOf(requested, record);
  const since = new Date(entry.at.getTime() - HOUR_MS);
  if (!(await wasReadSince(requested.deps.db, entry, since))) await insertEntry(requested.deps.db, entry);
}

function readingOf({ deps, origin, requestId }: Requested, { doer, id, audit, target }: Recorded): Entry {
  const { verb, area } = audit;
  return {
    ...{ ...doer, ...origin(), at: deps.now(), operation: id, verb, area, target, requestId },
    ...{ outcome: "done", changes: [] },
  };
}
