import type { Kysely } from "kysely";
import { type LeaderOptions, runAsLeader } from "../cluster/kubernetes/leader.ts";
import { type ConnectOptions, connect } from "../database/connection/connect.ts";
import { registerTerm } from "../database/connection/leader-term.ts";
import { withReconnect } from "../database/connection/retry.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../telemetry/log.ts";

/** The time to end between the loss of the Lease (10 s without renewal) and the next leader (15 s). */
const STOP_MS = 4_000;

export type LeadershipOptions = {
  election: LeaderOptions;
  /** For the leader's pool. */
  connection: Omit<ConnectOptions, "leader">;
  /** A pool without a term, to register the term. */
  db: Kysely<Database>;
};

/**
 * Runs `work` whenever this replica leads, until the election's signal aborts. The pool that `work`
 * receives writes only while this replica leads (docs/adr/0020).
 *
 * @throws the error of `work`, or of registering the term, which also releases the Lease
 */
export async function runWithLeadership(
  { election, connection, db }: LeadershipOptions,
  work: (db: Kysely<Database>, leading: AbortSignal) => Promise<void>,
): Promise<void> {
  const { log, namespace, name } = election;
  const broken = new AbortController();
  const signal = AbortSignal.any([election.signal, broken.signal]);
  await runAsLeader({ ...election, signal }, async (leading, term) => {
    const leader = { name: `${namespace}/${name}`, term };
    let hanging: NodeJS.Timeout | undefined;
    const lost = () => {
      if (!signal.aborted) hanging = endInTime(log);
    };
    leading.addEventListener("abort", lost, { once: true });
    const fenced = connect({ ...connection, leader });
    try {
      await withReconnect(() => registerTerm(db, leader, leading), { signal: leading });
      await work(fenced, leading);
    } catch (error) {
      if (!leading.aborted) broken.abort(error);
    } finally {
      await fenced.destroy();
      clearTimeout(hanging);
    }
  });
  if (!election.signal.aborted) throw broken.signal.reason;
}

/** Ends the process if work hangs after the Lease was lost: it must not write while another replica leads. */
function endInTime(log: Logger): NodeJS.Timeout {
  return setTimeout(() => {
    log.error("work continued after the Lease was lost: ending the process");
    process.exit(1);
  }, STOP_MS).unref();
}
