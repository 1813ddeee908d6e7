import type { Kysely } from "kysely";
import type { CoreResources } from "../cluster/core-resources.ts";
import type { Cluster } from "../cluster/port.ts";
import type { Config } from "../config.ts";
import type { ControllerDeps } from "../controller/deps.ts";
import { createJobSecrets } from "../controller/jobs/job-secrets.ts";
import type { ControllerMetrics } from "../controller/metrics.ts";
import { createPodsLookup } from "../controller/pod-trouble.ts";
import type { ControllerSettings } from "../controller/settings.ts";
import { createAccountLookup } from "../controller/tenancy.ts";
import type { Database } from "../database/tables.ts";
import { findFirstAccount } from "../database/tokens.ts";
import type { Sealer } from "../domain/seal.ts";
import type { Logger } from "../telemetry/log.ts";

type Parts = {
  config: Pick<Config, "namespace">;
  cluster: Cluster;
  core: CoreResources;
  db: Kysely<Database>;
  databaseUrl: string;
  log: Logger;
  settings: ControllerSettings;
  metrics: ControllerMetrics;
  sealer?: Sealer | undefined;
};

/** Wires one controller, on either cluster. What it remembers is its own: another gets other deps. */
export function controllerDeps({ config, sealer, ...parts }: Parts): ControllerDeps {
  const { core, db } = parts;
  return {
    ...parts,
    ...(sealer && { sealer }),
    now: () => new Date(),
    jobSecrets: createJobSecrets(core),
    podsOf: createPodsLookup(core, config.namespace),
    accountOf: createAccountLookup({
      namespace: config.namespace,
      firstAccount: () => findFirstAccount(db),
      annotationsOf: core.annotationsOf,
    }),
  };
}
