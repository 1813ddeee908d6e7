import type { Config } from "../../config.ts";
import type { DeliverySettings } from "../../delivery/worker.ts";
import { UsageError } from "../../domain/errors.ts";
import { type AddressPolicy, addressPolicy } from "../../net/addresses.ts";
import { upstreamProxies } from "../../net/upstream-proxy.ts";

type PolicyConfig = Pick<Config, "receiverPrivateCidrs" | "deniedCidrs" | "httpProxy" | "httpsProxy" | "noProxy">;

/** Where receivers may be: public addresses, and networks that the operator has allowed for them. */
export function receiverPolicy({ httpProxy, httpsProxy, noProxy, ...cidrs }: PolicyConfig): AddressPolicy {
  const proxyFor = upstreamProxies({ httpProxy, httpsProxy, noProxy });
  return { ...addressPolicy(cidrs.receiverPrivateCidrs, cidrs.deniedCidrs), ...(proxyFor && { proxyFor }) };
}

export type DeliveryConfig = PolicyConfig & Pick<Config, "notifications" | "smtpUrl" | "mailFrom" | "baseUrl">;

/**
 * What the operator's configuration says about messages to others; undefined where nothing is sent.
 *
 * @throws UsageError when half of what mail needs is missing
 */
export function deliverySettings(config: DeliveryConfig): DeliverySettings | undefined {
  if (!config.notifications) return undefined;
  const { smtpUrl, mailFrom, baseUrl } = config;
  if ((smtpUrl === undefined) !== (mailFrom === undefined)) {
    const [given, missing] = smtpUrl === undefined ? ["MAIL_FROM", "SMTP_URL"] : ["SMTP_URL", "MAIL_FROM"];
    throw new UsageError(`${given} is set, and ${missing} is not. Mail needs both: a server, and who it is from.`);
  }
  const mail = smtpUrl !== undefined && mailFrom !== undefined ? { url: smtpUrl, from: mailFrom } : undefined;
  return { policy: receiverPolicy(config), mail, baseUrl };
}
