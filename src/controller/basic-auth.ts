import { listReportsWithBasicAuth, openBasicAuth } from "../database/basic-auths.ts";
import type { ControllerDeps } from "./deps.ts";
import { basicAuthKey } from "./job-manifest.ts";

type Deps = Pick<ControllerDeps, "db" | "basicAuths" | "log">;

/** Hands the credentials that a report names to its Jobs, before one is made. Workers never hold the key. */
export async function giveBasicAuth({ db, basicAuths, log }: Deps, reportId: string, id: string): Promise<void> {
  if (!id) return;
  const auth = basicAuths && (await openBasicAuth(db, basicAuths.sealer, reportId));
  if (auth) await basicAuths.give(basicAuthKey(id), JSON.stringify(auth));
  else log.warn("the report's credentials are not there, or sealed with another key", { report: reportId });
}

/** Hands out again what Jobs of before may need that are started again on this machine. */
export async function giveAllBasicAuths(deps: Deps): Promise<void> {
  for (const { id, basicAuthId } of await listReportsWithBasicAuth(deps.db)) await giveBasicAuth(deps, id, basicAuthId);
}
