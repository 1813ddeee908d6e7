import type { Kysely } from "kysely";
import type { CoreResources } from "../cluster/core-resources.ts";
import type { Cluster } from "../cluster/port.ts";
import type { ConnectionLimits } from "../database/connection/connection-options.ts";
import type { Database } from "../database/tables.ts";
import type { Encryptor } from "../domain/encryption.ts";
import type { JobResource, ReportResource, ScheduleResource } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";
import type { JobSecrets } from "./jobs/job-secrets.ts";
import type { PodsView } from "./jobs/pod-health.ts";
import type { ControllerMetrics } from "./metrics.ts";
import type { ControllerSettings } from "./settings.ts";

/** What the controller is built from. */
export type ControllerDeps = {
  cluster: Cluster;
  core: Pick<CoreResources, "readSecret">;
  db: Kysely<Database>;
  /** The database again, for the LISTEN connection. */
  databaseUrl: string;
  /** Of that connection; the default's when not given. */
  databaseLimits?: Partial<ConnectionLimits>;
  log: Logger;
  now: () => Date;
  settings: ControllerSettings;
  metrics?: ControllerMetrics;
  /** Opens stored credentials; without it there are none. */
  encryptor?: Encryptor;
  /** Made anew with each controller: what another gave is not known. */
  jobSecrets: JobSecrets;
  /** How the pods of a report's Jobs are; not looked at when left out. */
  podsOf?: (id: string, jobs: readonly JobResource[]) => Promise<PodsView>;
  /** Which account a Report or Schedule belongs to; by its annotation when not given. */
  accountOf?: (resource: ReportResource | ScheduleResource) => Promise<string | undefined>;
};
