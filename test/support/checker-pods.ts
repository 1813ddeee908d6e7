import type { Kysely } from "kysely";
import { slotsOf } from "../../src/controller/scheduling/job-slots.ts";
import type { Database } from "../../src/database/tables.ts";
import type { JobResource } from "../../src/schema/resources.ts";

export type JobHistory = {
  /** The most slots that checker Jobs ever had at once: pods that ran, were ending, or could have been created. */
  mostPlaces: number;
  /** The least parallelism that each checker Job ever had, by its name. */
  leastParallelism: Record<string, number>;
};

/** What the local cluster's changes say about the checker Jobs that there were. */
export async function checkerHistory(db: Kysely<Database>): Promise<JobHistory> {
  const changes = await db
    .selectFrom("cluster_changes")
    .select(["type", "object"])
    .where("kind", "=", "Job")
    .orderBy("resource_version")
    .execute();
  const now = new Map<string, number>();
  const leastParallelism: Record<string, number> = {};
  let mostPlaces = 0;
  for (const { type, object } of changes) {
    const job = object as unknown as JobResource;
    const slots = slotsOf(job);
    now.set(job.metadata.uid, type === "DELETED" ? 0 : (slots?.held ?? 0));
    mostPlaces = Math.max(
      mostPlaces,
      [...now.values()].reduce((sum, count) => sum + count, 0),
    );
    const { name } = job.metadata;
    if (slots) leastParallelism[name] = Math.min(slots.parallelism, leastParallelism[name] ?? slots.parallelism);
  }
  return { mostPlaces, leastParallelism };
}
