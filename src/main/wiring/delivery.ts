import type { Config } from "../../config.ts";
import type { DeliverySettings } from "../../delivery/worker.ts";
import { UsageError } from "../../domain/errors.ts";
import { type AddressPolicy, addressPolicy } from "../../net/addresses.ts";
import { readTlsTrust } from "../../net/tls-files.ts";
import { upstreamProxies } from "../../net/upstream-proxy.ts";

type PolicyConfig = Pick<Config, "receiverPrivateCidrs" | "deniedCidrs" | "httpProxy" | "httpsProxy" | "noProxy">;

/** Where receivers may be: public addresses, and networks that the operator has allowed for them. */
export function receiverPolicy({ httpProxy, httpsProxy, noProxy, ...cidrs }: PolicyConfig): AddressPolicy {
  const proxyFor = upstreamProxies({ httpProxy, httpsProxy, noProxy });
  return { ...addressPolicy(cidrs.receiverPrivateCidrs, cidrs.deniedCidrs), ...(proxyFor && { proxyFor }) };
}

export type DeliveryConfig = PolicyConfig &
  Pick<Config, "notifications" | "smtpUrl" | "mailFrom" | "baseUrl" | "caFiles">;

/**
 * What the operator's configuration says about messages to others; undefined where nothing is sent. Authorities count for them
 * as for sites; client certificates, and hosts that are not verified, are of sites alone.
 *
 * @throws UsageError when half of what mail needs is missing, or for a file that cannot be used
 */
export async function deliverySettings(config: DeliveryConfig): Promise<DeliverySettings | undefined> {
  if (!config.notifications) return undefined;
  const { smtpUrl, mailFrom, baseUrl } = config;
  if ((smtpUrl === undefined) !== (mailFrom === undefined)) {
    const [given, missing] = smtpUrl === undefined ? ["MAIL_FROM", "SMTP_URL"] : ["SMTP_URL", "MAIL_FROM"];
    throw new UsageError(`${given} is set, and ${missing} is not. Mail needs both: a server, and who it is from.`);
  }
  const tls = await readTlsTrust({ caFiles: config.caFiles, clientCertificates: [], insecureTlsHosts: [] });
  const mail = smtpUrl !== undefined && mailFrom !== undefined ? { url: smtpUrl, from: mailFrom, tls } : undefined;
  return { policy: { ...receiverPolicy(config), ...(tls && { tls }) }, mail, baseUrl };
}
