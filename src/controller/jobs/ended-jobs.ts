import { hasJobEnded } from "../../cluster/job-end.ts";
import type { JobResource } from "../../schema/resources.ts";

/** For how long Jobs have been seen ended, in milliseconds, by uid. Jobs that run are not in it. */
export type EndedFor = ReadonlyMap<string, number>;

/** Who has not been asked for in this time is forgotten: it is longer than every pause. */
const FORGOTTEN_MS = 3_600_000;

/**
 * Measures for how long Jobs have ended, from when they were first seen so. Their own times are not compared with our
 * clock: they come from the API server, whose clock may be ahead of ours or behind by more than a pause.
 *
 * @param now milliseconds of a clock that nobody sets
 */
export function createEndedJobs(
  now: () => number = () => performance.now(),
): (jobs: readonly JobResource[]) => EndedFor {
  const seen = new Map<string, { since: number; last: number }>();
  return (jobs) => {
    const time = now();
    for (const [uid, { last }] of seen) if (time - last > FORGOTTEN_MS) seen.delete(uid);
    const ended = jobs.filter(hasJobEnded).map(({ metadata: { uid } }) => {
      const { since } = seen.get(uid) ?? { since: time };
      seen.set(uid, { since, last: time });
      return [uid, time - since] as const;
    });
    return new Map(ended);
  };
}
