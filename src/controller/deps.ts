import type { Kysely } from "kysely";
import type { CoreResources } from "../cluster/core-resources.ts";
import type { Cluster } from "../cluster/port.ts";
import type { ConnectOptions } from "../database/connection/connect.ts";
import type { ConnectionLimits } from "../database/connection/connection-options.ts";
import type { Database } from "../database/tables.ts";
import type { DeliverySettings } from "../delivery/worker.ts";
import type { Encryptor } from "../domain/accounts/encryption.ts";
import type { JobResource, ReportResource, ScheduleResource } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";
import type { EndedFor } from "./jobs/ended-jobs.ts";
import type { JobSecrets } from "./jobs/job-secrets.ts";
import type { PodsView } from "./jobs/pod-health.ts";
import type { ControllerMetrics } from "./metrics.ts";
import type { ControllerSettings } from "./settings.ts";

/** A leader's term, and the function that is called when it is over. */
export type Term = Required<Pick<ConnectOptions, "leader" | "onDeposed">>;

/** What the controller is built from. */
export type ControllerDeps = {
  cluster: Cluster;
  core: Pick<CoreResources, "readSecret">;
  db: Kysely<Database>;
  /** The URL of the same database, for connections beside the pool: to listen, and for long statements. */
  databaseUrl: string;
  /** Limits of those connections; defaults apply to those left out. */
  databaseLimits?: Partial<ConnectionLimits>;
  /** The term to which every connection has to belong; undefined without leader election (docs/adr/0020). */
  term?: Term;
  log: Logger;
  now: () => Date;
  settings: ControllerSettings;
  metrics?: ControllerMetrics;
  /** Decrypts stored credentials; without it none are available. */
  encryptor?: Encryptor;
  /** How others hear of what happens; without it nothing is sent. */
  delivery?: DeliverySettings;
  /** Created with each controller: it does not know which Secrets another one created. */
  jobSecrets: JobSecrets;
  /** For how long Jobs have been seen ended, by this controller. */
  endedJobs: (jobs: readonly JobResource[]) => EndedFor;
  /** Reads the state of the pods of a report's Jobs; not checked when left out. */
  podsOf?: (id: string, jobs: readonly JobResource[]) => Promise<PodsView>;
  /** Finds the account of a Report or Schedule; by default its annotation. */
  accountOf?: (resource: ReportResource | ScheduleResource) => Promise<string | undefined>;
};
