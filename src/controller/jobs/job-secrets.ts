import type { CoreResources } from "../../cluster/core-resources.ts";
import { hasJobEnded } from "../../cluster/job-end.ts";
import type { JobResource } from "../../schema/resources.ts";
import { basicAuthName, needsBasicAuth } from "./manifest.ts";

/**
 * The Secrets of Jobs. Each Job that needs credentials has its own Secret, which is deleted with it.
 *
 * The controller cannot check whether a Secret exists: that requires the right to read all Secrets
 * of the namespace. So a Secret counts as missing until this controller has tried to create it. One that
 * exists is left alone: replacing it would be a moment without it, in which a pod may start.
 */
export type JobSecrets = {
  /** The unfinished Jobs that need a Secret which this controller has not created. */
  missing(jobs: readonly JobResource[]): JobResource[];
  /**
   * Creates a Job's Secret, if there is none.
   * @param value the value of the Job's variable; undefined when it is not known (any more)
   */
  put(job: JobResource, value: string | undefined): Promise<void>;
  /** Deletes the Secrets of Jobs, which must not start another pod: it would lack its Secret. */
  delete(jobs: readonly JobResource[]): Promise<void>;
};

export function createJobSecrets(core: Pick<CoreResources, "createSecret" | "deleteSecret">): JobSecrets {
  /** Uids of Jobs. */
  const written = new Set<string>();
  return {
    missing: (jobs) =>
      jobs.filter(
        (job) => needsBasicAuth(job) && !hasJobEnded(job) && isPresent(job) && !written.has(job.metadata.uid),
      ),
    async put(job, value) {
      await core.createSecret(job, basicAuthName(job.metadata.name), value ?? "");
      // After the write: if that fails, the Secret is still missing.
      written.add(job.metadata.uid);
    },
    async delete(jobs) {
      for (const job of jobs) {
        if (!needsBasicAuth(job)) continue;
        const { namespace, name, uid } = job.metadata;
        await core.deleteSecret(namespace, basicAuthName(name));
        written.delete(uid);
      }
    },
  };
}

function isPresent({ metadata }: JobResource): boolean {
  return metadata.deletionTimestamp === undefined;
}
