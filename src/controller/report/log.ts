import { requestIdOf } from "../../domain/request-id.ts";
import type { ReportResource } from "../../schema/resources.ts";
import type { Logger } from "../../telemetry/log.ts";

/** A log whose lines name the report and, if there is one, the API request that created it. */
export function reportLog(log: Logger, resource: ReportResource, id: string): Logger {
  const requestId = requestIdOf(resource.metadata);
  return log.child({ report: id, ...(requestId !== undefined && { requestId }) });
}
