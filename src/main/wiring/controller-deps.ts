import type { Kysely } from "kysely";
import type { CoreResources } from "../../cluster/core-resources.ts";
import type { Cluster } from "../../cluster/port.ts";
import type { Config } from "../../config.ts";
import { createAccountLookup } from "../../controller/account-lookup.ts";
import type { ControllerDeps, Term } from "../../controller/deps.ts";
import { createEndedJobs } from "../../controller/jobs/ended-jobs.ts";
import { createJobSecrets } from "../../controller/jobs/job-secrets.ts";
import { createPodsLookup } from "../../controller/jobs/pod-health.ts";
import type { ControllerMetrics } from "../../controller/metrics.ts";
import type { ControllerSettings } from "../../controller/settings.ts";
import { findFirstAccount } from "../../database/accounts/tokens.ts";
import type { Database } from "../../database/tables.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import type { Logger } from "../../telemetry/log.ts";
import { type DeliveryConfig, deliverySettings } from "./delivery.ts";

type Parts = {
  config: DeliveryConfig & Pick<Config, "namespace">;
  cluster: Cluster;
  core: CoreResources;
  db: Kysely<Database>;
  databaseUrl: string;
  term?: Term;
  log: Logger;
  settings: ControllerSettings;
  metrics: ControllerMetrics;
  encryptor?: Encryptor | undefined;
};

/** Wires one controller, on either cluster. Controllers must not share deps, since deps have state. */
export async function controllerDeps({ config, encryptor, ...parts }: Parts): Promise<ControllerDeps> {
  const { core, db } = parts;
  const delivery = await deliverySettings(config);
  return {
    ...parts,
    ...(encryptor && { encryptor }),
    ...(delivery && { delivery }),
    now: () => new Date(),
    jobSecrets: createJobSecrets(core),
    endedJobs: createEndedJobs(),
    podsOf: createPodsLookup(core, config.namespace),
    accountOf: createAccountLookup({
      namespace: config.namespace,
      firstAccount: () => findFirstAccount(db),
      annotationsOf: core.annotationsOf,
    }),
  };
}
