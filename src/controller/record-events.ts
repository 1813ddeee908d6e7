import type { ReportResource, ScheduleResource } from "../schema/resources.ts";
import type { ControllerDeps } from "./deps.ts";
import type { ReportEvent } from "./report/events.ts";

/** Records events about a resource. They are for people only, so a failure delays nothing. */
export async function recordEvents(
  { cluster, log }: Pick<ControllerDeps, "cluster" | "log">,
  about: ReportResource | ScheduleResource,
  events: readonly ReportEvent[],
): Promise<void> {
  for (const event of events) {
    try {
      await cluster.record({ about, ...event });
    } catch (error) {
      log.warn("event not recorded", { kind: about.kind, name: about.metadata.name, error });
      return;
    }
  }
}
