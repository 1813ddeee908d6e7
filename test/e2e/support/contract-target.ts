import { client } from "../../contract/client.ts";
import { fixturePages } from "../../contract/fixture-site.ts";
import type { Target } from "../../contract/rule.ts";
import { createNamespace, kubectl } from "./commands.ts";
import { host, type Installation, ingress, readSecret } from "./installation.ts";
import { deploySite } from "./site-pod.ts";

/** An installation whose rate limit is above what the contract's rules ask. */
export const contractValues = ["limits.requestsPerMinute=100000"];

/** An installation as the contract's service under test, with its fixture site in the namespace `site`. */
export async function contractTarget({ namespace, fullname, ...of }: Installation, site: string): Promise<Target> {
  await createNamespace(site);
  const siteUrl = await deploySite(site, fixturePages);
  const token = await readSecret({ namespace, fullname, ...of }, "first-token", "token");
  const admin = ["node", "bundle/main/index.js", "admin", "accounts", "create", "Strangers"];
  const made = await kubectl(["exec", "-n", namespace, `deployment/${fullname}-api`, "--", ...admin]);
  const baseUrl = `http://${host()}`;
  return {
    baseUrl,
    send: client(baseUrl, `${ingress.host}:${ingress.port}`),
    token,
    strangersToken: (JSON.parse(made) as { token: string }).token,
    siteUrl,
  };
}
