import { exitCodes } from "../../domain/errors.ts";
import type { JobResource, Stage } from "../../schema/resources.ts";
import type { ControllerSettings } from "../settings.ts";
import { type EnvironmentEntry, jobPod, mergeEnvironment } from "./pod-spec.ts";

/** What differs from Job to Job. */
type Job = {
  /** What runs in it, which is also the container's name. */
  program: Stage | "printer";
  args: readonly string[];
  labels: Record<string, string>;
  /** What it runs besides its own program. */
  needs: { browser: boolean; java: boolean };
  environment: readonly EnvironmentEntry[];
} & Pick<JobResource["spec"], "parallelism" | "backoffLimit" | "activeDeadlineSeconds">;

/** The spec of a Job of any program: what of its pods counts as a failure, and that texts reach the program as they are. */
export function jobSpec(
  { pods, image, jobEnvironment, jobTtlSeconds }: ControllerSettings,
  { program, args, labels, needs, environment, ...limits }: Job,
): JobResource["spec"] {
  const pod = pods && jobPod(pods, program, needs);
  const template = pods?.template;
  return {
    ...limits,
    ttlSecondsAfterFinished: jobTtlSeconds,
    // A pod that is still ending could write at the same time as its successor, so only ended pods are replaced.
    podReplacementPolicy: "Failed",
    podFailurePolicy: {
      rules: [
        // An evicted pod has not failed.
        { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        { action: "FailJob", onExitCodes: { containerName: program, operator: "In", values: [exitCodes.usage] } },
        // Neither has a pod whose node or database cannot be used for now: it is replaced for as long as that lasts.
        { action: "Ignore", onExitCodes: { containerName: program, operator: "In", values: [exitCodes.environment] } },
      ],
    },
    template: {
      metadata: {
        labels: { ...template?.labels, ...labels },
        ...(template?.annotations && { annotations: template.annotations }),
      },
      spec: {
        ...pod?.spec,
        restartPolicy: "Never",
        containers: [
          {
            name: program,
            image,
            ...pod?.container,
            args: args.map(escapeVariableReferences),
            env: mergeEnvironment(
              escapeEnvironment(jobEnvironment),
              // The operator's own entries are not escaped: they may refer to other variables.
              template?.env ?? [],
              escapeEnvironment([...(pod?.environment ?? []), ...environment]),
            ),
          },
        ],
      },
    },
  };
}

/**
 * Text that the kubelet passes to a container as it is. In arguments and in the values of variables it
 * replaces `$(NAME)` by the value of the variable NAME, even a secret one, and `$$` by `$`. So every `$` is
 * doubled (https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/).
 */
function escapeVariableReferences(text: string): string {
  return text.replaceAll("$", () => "$$");
}

/** Variables whose values are passed as they are. References to Secrets are never expanded. */
function escapeEnvironment(entries: readonly EnvironmentEntry[]): EnvironmentEntry[] {
  return entries.map((entry) =>
    entry.value === undefined ? entry : { ...entry, value: escapeVariableReferences(entry.value) },
  );
}
