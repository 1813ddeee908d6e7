import { randomBytes } from "node:crypto";
import type { JobResource } from "../../schema/resources.ts";
import type { Pod } from "../core-resources.ts";

/** The name, time and labels of a Job's new pod, as Kubernetes sets them. */
export function podMetadata({ metadata, spec }: JobResource): Pod["metadata"] {
  return {
    name: `${metadata.name}-${randomBytes(3).toString("hex")}`,
    creationTimestamp: new Date().toISOString(),
    labels: { ...spec.template.metadata?.labels, "job-name": metadata.name },
  };
}

/** A running process as a pod; `name` is the container's name. */
export function runningPod(metadata: Pod["metadata"], name: string): Pod {
  const lastTransitionTime = metadata.creationTimestamp;
  return {
    metadata,
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime }],
      containerStatuses: [{ name, state: { running: { startedAt: lastTransitionTime } } }],
    },
  };
}

/** A pod whose process cannot be started yet, and why. */
export function waitingPod(
  { metadata, message }: { metadata: Pod["metadata"]; message: string },
  name: string,
  reason: "CreateContainerConfigError" | "BrokenEnvironment",
): Pod {
  const state = { waiting: { reason, message } };
  return { metadata, status: { phase: "Pending", containerStatuses: [{ name, state }] } };
}
