import { annotations, type ReportResource } from "../../schema/resources.ts";
import type { Logger } from "../../telemetry/log.ts";

/** A log of which each line names the report and the API request that made it, where one did. */
export function reportLog(log: Logger, resource: ReportResource, id: string): Logger {
  const requestId = resource.metadata.annotations?.[annotations.requestId];
  return log.child({ report: id, ...(requestId !== undefined && { requestId }) });
}
