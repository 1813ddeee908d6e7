import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Database } from "../../src/database/tables.ts";
import { readReport } from "../support/check-counts.ts";
import { differences, type Outcome, readOutcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { openWorld, type World } from "./world.ts";

/** A report that does not end in this time hangs. */
const MAX_MS = 8 * 60_000;

export type Run = {
  outcome: Outcome;
  /** How many pages were found and checks ended, in all. */
  work: number;
  seconds: number;
};

export type FaultyRun = {
  plan: Plan;
  /** Faults that did not find what they hit. */
  missed: string[];
  seconds: number;
  restarts: number;
  /** What went wrong, none when the run ended as the undisturbed one. */
  wrong: string[];
};

export async function runUndisturbed(siteUrl: string): Promise<Run> {
  const world = await openWorld({ disk: false });
  const started = performance.now();
  try {
    const id = await startReport(world, siteUrl);
    while (!(await progress(world.db, id)).ended) await sleep(20);
    const { work } = await progress(world.db, id);
    return { outcome: await readOutcome(world.db, id), work, seconds: (performance.now() - started) / 1000 };
  } finally {
    await world.close();
  }
}

export async function runWithFaults(siteUrl: string, plan: Plan, undisturbed: Run): Promise<FaultyRun> {
  const world = await openWorld({
    disk: plan.faults.some(({ fault }) => fault.disk),
    ownPostgres: plan.faults.some(({ fault }) => fault.ownPostgres),
  });
  const started = performance.now();
  const result: FaultyRun = { plan, missed: [], seconds: 0, restarts: 0, wrong: [] };
  let id = "";
  try {
    id = await startReport(
      world,
      siteUrl,
      plan.faults.some(({ fault }) => fault.rendered),
    );
    const hung = sleep(MAX_MS, "hung", { ref: false });
    const worked = work();
    if ((await Promise.race([worked, hung])) === "hung")
      result.wrong.push(`not ended after ${MAX_MS / 1000} s; there were`, ...world.running());
    const outcome = await readOutcome(world.db, id);
    result.wrong.push(...differences(undisturbed.outcome, outcome));
  } catch (error) {
    result.wrong.push(String(error));
  }
  result.seconds = (performance.now() - started) / 1000;
  result.restarts = world.restarts();
  const { code, left } = await world.close();
  if (code !== 0) result.wrong.push(`the service ended with ${code} at SIGTERM`);
  if (left.length > 0) result.wrong.push(`${left.length} processes are left: ${left.join("; ").slice(0, 500)}`);
  if (result.wrong.length > 0) result.wrong.push(...world.lastWords());
  return result;

  /** The faults one after the other, each when its time has come, then the report's end. */
  async function work(): Promise<void> {
    for (const { fault, at } of plan.faults) {
      await reach(at * undisturbed.work);
      if (!(await fault.run(world, plan.random))) result.missed.push(fault.name);
    }
    await reach(Infinity);
  }

  async function reach(wanted: number): Promise<void> {
    for (;;) {
      // The database may be away for a moment.
      const { ended, work } = await progress(world.db, id).catch(() => ({ ended: false, work: -1 }));
      if (ended || work >= wanted) return;
      await sleep(20);
    }
  }
}

async function startReport(world: World, url: string, rendered = false): Promise<string> {
  const { status, body } = await world.request("POST", "/reports", {
    starting_url: url,
    max_pages: 100,
    rate_limit: 15,
    dynamic_crawler: rendered,
    perform_html_checks: true,
    perform_a11y_checks: true,
    store_raw_html_checks: true,
  });
  if (status !== 201) throw new Error(`POST /reports: ${status} ${body}`);
  return JSON.parse(body).data.id;
}

async function progress(db: Kysely<Database>, id: string): Promise<{ ended: boolean; work: number }> {
  const row = await readReport(db, id);
  const work = row.num_pages + row.html_checked + row.html_failed + row.a11y_checked + row.a11y_failed;
  return { ended: row.completed_at !== null, work };
}
