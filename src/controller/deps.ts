import type { Kysely } from "kysely";
import type { Cluster } from "../cluster/port.ts";
import type { Database } from "../database/tables.ts";
import type { Sealer } from "../domain/seal.ts";
import type { JobResource, ReportResource, ScheduleResource } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ControllerMetrics } from "./metrics.ts";
import type { Trouble } from "./pod-trouble.ts";
import type { ControllerSettings } from "./settings.ts";

/** What the controller is built from. */
export type ControllerDeps = {
  cluster: Cluster;
  db: Kysely<Database>;
  /** The database again, for the LISTEN connection. */
  databaseUrl: string;
  log: Logger;
  now: () => Date;
  settings: ControllerSettings;
  metrics?: ControllerMetrics;
  /** Opens stored credentials, and hands them to the Jobs that refer to them by `key`. */
  basicAuths?: { sealer: Sealer; give: (key: string, value: string) => Promise<void> };
  /** Why the pods of a report's Jobs do not work, where there are pods. */
  troubleOf?: (id: string, jobs: readonly JobResource[]) => Promise<Trouble | undefined>;
  /** Which account a Report or Schedule belongs to; by its annotation when not given. */
  accountOf?: (resource: ReportResource | ScheduleResource) => Promise<string | undefined>;
};
