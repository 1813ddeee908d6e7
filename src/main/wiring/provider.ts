import type { SignInProvider } from "../../api/page-port.ts";
import type { Config } from "../../config.ts";
import { isThisMachine } from "../../domain/addresses/this-machine.ts";
import { UsageError } from "../../domain/errors.ts";
import { createOpenIdProvider } from "../../net/openid-provider.ts";
import { readTlsTrust } from "../../net/tls-files.ts";
import { upstreamProxies } from "../../net/upstream-proxy.ts";

type ProviderConfig = Pick<Config, "oidc" | "baseUrl" | "host" | "caFiles" | "httpProxy" | "httpsProxy" | "noProxy">;

/**
 * The provider that the configuration names; undefined without one. Nothing is asked of it yet.
 *
 * @throws UsageError when it is not known to which address it leads back
 */
export async function signInProvider(config: ProviderConfig): Promise<SignInProvider | undefined> {
  const { oidc, baseUrl, host, caFiles } = config;
  if (oidc === undefined) return undefined;
  // Who listens on loopback alone refuses requests for other hosts; elsewhere a request could name any.
  if (baseUrl === undefined && (host === undefined || !isThisMachine(host)))
    throw new UsageError("OIDC_ISSUER needs BASE_URL: the address to which the provider leads people back.");
  const { name, proxy, ...settings } = oidc;
  const proxyFor = upstreamProxies(proxy === undefined ? config : { httpsProxy: proxy });
  // Of the TLS settings for sites, only the authorities: whoever signs people in is always verified.
  const tls = await readTlsTrust({ caFiles, clientCertificates: [], insecureTlsHosts: [] });
  return {
    name,
    client: createOpenIdProvider({ ...settings, route: { ...(tls && { tls }), ...(proxyFor && { proxyFor }) } }),
  };
}
