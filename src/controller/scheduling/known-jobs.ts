import type { JobResource } from "../../schema/resources.ts";
import { type JobPlaces, placesOf } from "./job-places.ts";

/** The checker Jobs that the watch has shown, whoever's they are. */
export type KnownJobs = {
  /** Takes all that there are. */
  replace(jobs: readonly JobResource[]): void;
  /** One was made, has changed or is gone. @returns true when it holds fewer places than before */
  note(type: "ADDED" | "MODIFIED" | "DELETED", job: JobResource): boolean;
  /** The places of all Jobs that have not ended, by report. */
  byReport(): Map<string, JobPlaces[]>;
};

export function createKnownJobs(): KnownJobs {
  const jobs = new Map<string, JobPlaces>();
  const set = ({ metadata: { uid } }: JobResource, places: JobPlaces | undefined) => {
    if (places) jobs.set(uid, places);
    else jobs.delete(uid);
  };
  return {
    replace(all) {
      jobs.clear();
      for (const job of all) set(job, placesOf(job));
    },
    note(type, job) {
      const before = jobs.get(job.metadata.uid)?.held ?? 0;
      set(job, type === "DELETED" ? undefined : placesOf(job));
      return (jobs.get(job.metadata.uid)?.held ?? 0) < before;
    },
    byReport: () => Map.groupBy(jobs.values(), ({ reportId }) => reportId),
  };
}
