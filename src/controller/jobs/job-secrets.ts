import type { CoreResources } from "../../cluster/core-resources.ts";
import type { JobResource } from "../../schema/resources.ts";
import { basicAuthName, needsBasicAuth } from "./manifest.ts";
import { hasEnded } from "./pod-health.ts";

/**
 * The Secrets of Jobs. Each Job that needs credentials has one of its own, which goes with it.
 *
 * Whether a Job has its Secret cannot be read: that would take the right to read all Secrets of
 * the namespace. So a Job counts as without one until this controller has put it there; giving
 * it again does no harm.
 */
export type JobSecrets = {
  /** Those of the Jobs that go on, need a Secret, and have not been given one. */
  missing(jobs: readonly JobResource[]): JobResource[];
  /** @param value what the Job's variable holds */
  give(job: JobResource, value: string): Promise<void>;
  /** Takes back what Jobs were given; none of them may start another pod, which would lack it. */
  take(jobs: readonly JobResource[]): Promise<void>;
};

export function createJobSecrets(core: Pick<CoreResources, "putSecret" | "deleteSecret">): JobSecrets {
  /** Uids of Jobs. */
  const given = new Set<string>();
  return {
    missing: (jobs) =>
      jobs.filter((job) => needsBasicAuth(job) && !hasEnded(job) && isPresent(job) && !given.has(job.metadata.uid)),
    async give(job, value) {
      await core.putSecret(job, basicAuthName(job.metadata.name), value);
      // Only now: what failed is missing still.
      given.add(job.metadata.uid);
    },
    async take(jobs) {
      for (const job of jobs) {
        if (!needsBasicAuth(job)) continue;
        const { namespace, name, uid } = job.metadata;
        await core.deleteSecret(namespace, basicAuthName(name));
        given.delete(uid);
      }
    },
  };
}

function isPresent({ metadata }: JobResource): boolean {
  return metadata.deletionTimestamp === undefined;
}
