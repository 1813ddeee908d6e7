import type { JobResource } from "../schema/resources.ts";

type JobCondition = NonNullable<NonNullable<JobResource["status"]>["conditions"]>[number];

/** The condition by which a Job has ended, Complete or Failed; undefined while it has not. */
export function jobEnd({ status }: Pick<JobResource, "status">): JobCondition | undefined {
  return status?.conditions?.find(
    (condition) => condition.status === "True" && (condition.type === "Complete" || condition.type === "Failed"),
  );
}

export function hasJobEnded(job: Pick<JobResource, "status">): boolean {
  return jobEnd(job) !== undefined;
}
