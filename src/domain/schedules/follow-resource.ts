import { isDeepStrictEqual } from "node:util";
import type { ScheduleResource } from "../../schema/resources.ts";
import type { ScheduleSpec } from "../../schema/schedule.ts";
import { nextRunTime } from "./schedule-times.ts";

/** The definition that a schedule's row has. */
export type StoredDefinition = { uid: string; generation: string; spec: ScheduleSpec; active: boolean };

/** How a schedule's row follows its resource. */
export type ScheduleChange = {
  /** The resource was restored under its own name: it takes over the row, also that of a deleted schedule. */
  isRestored: boolean;
  /** When the next run is due, null for never; undefined where it stays as it was planned. */
  nextRunAt: Date | null | undefined;
};

/**
 * How the row of a schedule follows its resource: to a newer generation, and to another definition of the same one,
 * because then the cluster was restored in between. The next run is planned again, from `now` on, if the periodicity or
 * `active` changes: missed times are not made up for.
 *
 * @param outdated the row, when it is known that the cluster was restored and that the resource has an earlier generation
 * @returns undefined when it follows already
 */
export function followResource(
  row: StoredDefinition & { id: string },
  { metadata, spec }: ScheduleResource,
  now: Date,
  outdated: StoredDefinition | undefined,
): ScheduleChange | undefined {
  const isRestored = row.uid !== metadata.uid;
  const newer = metadata.generation - Number(row.generation);
  const isOther = newer > 0 || (newer === 0 && !isSame(row.spec, spec));
  const isOutdated = row.generation === outdated?.generation && isSame(row.spec, outdated.spec);
  if (!isRestored && !isOther && !isOutdated) return undefined;
  const replans =
    isRestored || row.active !== spec.active || !isDeepStrictEqual(row.spec.periodicity, spec.periodicity);
  return { isRestored, nextRunAt: replans ? plannedRun(spec, row.id, now) : undefined };
}

/** Compared as they are stored. */
function isSame(stored: ScheduleSpec, spec: ScheduleSpec): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(spec)));
}

/** When a schedule runs next after a time; null for one that does not run by itself. */
export function plannedRun(spec: ScheduleSpec, id: string, after: Date): Date | null {
  return (spec.active ? nextRunTime(spec.periodicity, id, after) : undefined) ?? null;
}
