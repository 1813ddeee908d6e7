import type { JobResource } from "../../schema/resources.ts";
import { type JobSlots, slotsOf } from "./job-slots.ts";

/** The checker Jobs of all reports, as the watch has shown them. */
export type KnownJobs = {
  /** Replaces all Jobs with those of a list. */
  replace(jobs: readonly JobResource[]): void;
  /** Applies an event. @returns true when the Job holds fewer slots than before */
  update(type: "ADDED" | "MODIFIED" | "DELETED", job: JobResource): boolean;
  /** Adds listed Jobs that the watch may not have shown yet. It will show them, or the next list will lack them. */
  add(listed: readonly JobSlots[]): void;
  /** The slots of all Jobs that have not ended, by report. */
  byReport(): Map<string, JobSlots[]>;
};

export function createKnownJobs(): KnownJobs {
  const jobs = new Map<string, JobSlots>();
  /** Uids of Jobs that have ended or are gone, by the last list and the events since. */
  const ended = new Set<string>();
  const set = ({ metadata: { uid } }: JobResource, slots: JobSlots | undefined) => {
    if (slots) jobs.set(uid, slots);
    else {
      jobs.delete(uid);
      ended.add(uid);
    }
  };
  return {
    replace(all) {
      ended.clear();
      for (const uid of jobs.keys()) ended.add(uid);
      jobs.clear();
      for (const job of all) {
        ended.delete(job.metadata.uid);
        set(job, slotsOf(job));
      }
    },
    update(type, job) {
      const before = jobs.get(job.metadata.uid)?.held ?? 0;
      set(job, type === "DELETED" ? undefined : slotsOf(job));
      return (jobs.get(job.metadata.uid)?.held ?? 0) < before;
    },
    add(listed) {
      for (const job of listed) {
        const held = Math.max(job.held, jobs.get(job.uid)?.held ?? 0);
        if (!ended.has(job.uid)) jobs.set(job.uid, { ...job, held });
      }
    },
    byReport: () => Map.groupBy(jobs.values(), ({ reportId }) => reportId),
  };
}
