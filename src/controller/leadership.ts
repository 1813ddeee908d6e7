import type { Kysely } from "kysely";
import { type LeaderOptions, runAsLeader } from "../cluster/kubernetes/leader.ts";
import { type ConnectOptions, connect } from "../database/connection/connect.ts";
import { isConnectionLoss } from "../database/connection/errors.ts";
import { type DeposedError, registerTerm } from "../database/connection/leader-term.ts";
import type { Database } from "../database/tables.ts";
import type { Backoff } from "../domain/backoff.ts";
import { errorText } from "../domain/error-text.ts";
import type { Logger } from "../telemetry/log.ts";
import { retry } from "../time/retry.ts";
import type { Term } from "./deps.ts";

/** How long work may take to end: the Lease is lost after 10 s without renewal; the next leader starts after 15 s. */
const STOP_MS = 4_000;
/** The pause between two tries to register a term while the database is away. */
const registerBackoff: Backoff = { baseMs: 100, maxMs: 5_000 };

export type LeadershipOptions = {
  election: LeaderOptions;
  /** For the leader's pool. */
  connection: Omit<ConnectOptions, "leader" | "onDeposed">;
  /** A pool without a term, to register the term. */
  db: Kysely<Database>;
};

/**
 * Runs `work` whenever this replica leads, until the election's signal aborts. The pool that `work`
 * receives writes only while this replica leads (docs/adr/0020). Other connections that `work` opens have to
 * belong to the same term.
 *
 * When Postgres refuses the term, this replica stands for election again: another replica may lead,
 * or the database was restored from a backup that is older than the term.
 *
 * @throws the error of `work`, or of registering the term, which also releases the Lease
 */
export async function runWithLeadership(
  { election, connection, db }: LeadershipOptions,
  work: (db: Kysely<Database>, leading: AbortSignal, term: Term) => Promise<void>,
): Promise<void> {
  const { log, namespace, name } = election;
  const broken = new AbortController();
  const signal = AbortSignal.any([election.signal, broken.signal]);
  await runAsLeader({ ...election, signal }, async (holding, term) => {
    const leader = { name: `${namespace}/${name}`, term };
    const deposed = new AbortController();
    const onDeposed = (error: DeposedError) => {
      if (deposed.signal.aborted) return;
      log.error("Postgres refused this leader's term: standing for election again", {
        error: errorText(error),
      });
      deposed.abort(error);
    };
    const leading = AbortSignal.any([holding, deposed.signal]);
    let hanging: NodeJS.Timeout | undefined;
    const lost = () => {
      if (!signal.aborted) hanging = endInTime(log);
    };
    leading.addEventListener("abort", lost, { once: true });
    const fenced = connect({ ...connection, leader, onDeposed });
    try {
      await retry(() => registerTerm(db, leader, leading), {
        signal: leading,
        backoff: registerBackoff,
        shouldRetry(error) {
          if (!isConnectionLoss(error)) return false;
          log.warn("waiting for the database to register the leader's term", { error });
          return true;
        },
      });
      await work(fenced, leading, { leader, onDeposed });
    } catch (error) {
      if (!leading.aborted) broken.abort(error);
    } finally {
      await fenced.destroy();
      clearTimeout(hanging);
    }
  });
  if (!election.signal.aborted) throw broken.signal.reason;
}

/**
 * Ends the process if work hangs after the leadership ended: another replica may lead by then, or this one has to stand
 * for election again.
 */
function endInTime(log: Logger): NodeJS.Timeout {
  return setTimeout(() => {
    log.error("work continued after the leadership ended: ending the process");
    process.exit(1);
  }, STOP_MS).unref();
}
