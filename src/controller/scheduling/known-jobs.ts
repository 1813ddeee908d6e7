import type { JobResource } from "../../schema/resources.ts";
import { type JobSlots, slotsOf } from "./job-slots.ts";

/** The checker Jobs that the watch has reported, of all reports. */
export type KnownJobs = {
  /** Replaces all Jobs with those of a list. */
  replace(jobs: readonly JobResource[]): void;
  /** Applies an event. @returns true when the Job holds fewer slots than before */
  update(type: "ADDED" | "MODIFIED" | "DELETED", job: JobResource): boolean;
  /** The slots of all Jobs that have not ended, by report. */
  byReport(): Map<string, JobSlots[]>;
};

export function createKnownJobs(): KnownJobs {
  const jobs = new Map<string, JobSlots>();
  const set = ({ metadata: { uid } }: JobResource, slots: JobSlots | undefined) => {
    if (slots) jobs.set(uid, slots);
    else jobs.delete(uid);
  };
  return {
    replace(all) {
      jobs.clear();
      for (const job of all) set(job, slotsOf(job));
    },
    update(type, job) {
      const before = jobs.get(job.metadata.uid)?.held ?? 0;
      set(job, type === "DELETED" ? undefined : slotsOf(job));
      return (jobs.get(job.metadata.uid)?.held ?? 0) < before;
    },
    byReport: () => Map.groupBy(jobs.values(), ({ reportId }) => reportId),
  };
}
