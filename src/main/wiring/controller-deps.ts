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
import type { DeliverySettings } from "../../delivery/worker.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import { addressPolicy } from "../../net/addresses.ts";
import { upstreamProxies } from "../../net/upstream-proxy.ts";
import type { Logger } from "../../telemetry/log.ts";

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

type DeliveryConfig = Pick<
  Config,
  "notifications" | "mail" | "receiverPrivateCidrs" | "deniedCidrs" | "baseUrl" | "httpProxy" | "httpsProxy" | "noProxy"
>;

/** What the operator's configuration says about messages to others. */
function deliverySettings(config: DeliveryConfig): DeliverySettings {
  const { httpProxy, httpsProxy, noProxy, mail, baseUrl } = config;
  const proxyFor = upstreamProxies({ httpProxy, httpsProxy, noProxy });
  const policy = addressPolicy(config.receiverPrivateCidrs, config.deniedCidrs);
  return { policy: { ...policy, ...(proxyFor && { proxyFor }) }, mail, baseUrl };
}

/** Wires one controller, on either cluster. Controllers must not share deps, since deps have state. */
export function controllerDeps({ config, encryptor, ...parts }: Parts): ControllerDeps {
  const { core, db } = parts;
  return {
    ...parts,
    ...(encryptor && { encryptor }),
    ...(config.notifications && { delivery: deliverySettings(config) }),
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
