import type { NewObject } from "../../cluster/port.ts";
import { MAKING_SECONDS } from "../../domain/months/month-file.ts";
import { type JobResource, labels } from "../../schema/resources.ts";
import type { ControllerSettings } from "../settings.ts";
import { jobSpec } from "./job-spec.ts";

/** The Job that makes the PDF of a month: one file, one Job. */
export function printerName(id: string): string {
  return `month-file-${id}`;
}

/**
 * Without the label of a stage, so that no policy for the Jobs of reports lets it out: the chart lets it reach the database alone.
 *
 * @param token tells the database which file the Job is for: it sees that row alone, and nothing else of any account
 */
export function printerManifest(id: string, settings: ControllerSettings, token: string): NewObject<JobResource> {
  const jobLabels = { [labels.printer]: id };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: printerName(id), namespace: settings.namespace, labels: jobLabels, annotations: {} },
    spec: jobSpec(settings, {
      program: "printer",
      args: ["printer", "--file", id],
      labels: jobLabels,
      needs: { browser: true, java: false },
      environment: [{ name: "JOB_TOKEN", value: token }],
      ...{ parallelism: 1, backoffLimit: 1, activeDeadlineSeconds: MAKING_SECONDS },
    }),
  };
}
