import { isDeepStrictEqual } from "node:util";
import { HttpMethod, type KubeConfig, RequestContext } from "@kubernetes/client-node";
import { ClusterError } from "../port.ts";
import type { ApiServerConfig } from "./api-server-config.ts";

type Dispatcher = NonNullable<ReturnType<RequestContext["getDispatcher"]>>;

/**
 * The current cluster and user of a kubeconfig, with whatever way to authenticate the client library supports. The library
 * makes a new connection for each request, and the TLS handshakes would take more time than everything else that a
 * controller does. Here connections are kept until their settings change.
 *
 * @throws ClusterError without a current cluster
 */
export function fromKubeConfig(config: KubeConfig): ApiServerConfig {
  const server = config.getCurrentCluster()?.server;
  if (!server) throw new ClusterError("Invalid", "The kubeconfig has no current cluster.");
  let kept: { settings: unknown; dispatcher: Dispatcher } | undefined;

  return {
    server,
    async credentials(url, { reuse }) {
      const context = new RequestContext(url, HttpMethod.GET);
      let settings: unknown;
      // The library calls this to get the settings of a connection that it is about to make.
      const noting: KubeConfig = Object.create(config, {
        createDispatcherOptions: {
          value: (...given: Parameters<KubeConfig["createDispatcherOptions"]>) => {
            const options = config.createDispatcherOptions(...given);
            settings = options;
            return options;
          },
        },
      });
      await noting.applySecurityAuthentication(context);
      const dispatcher = context.getDispatcher();
      const headers = context.getHeaders();
      if (!reuse || dispatcher === undefined) return { headers, dispatcher };
      // The old dispatcher is not closed: a request that begins now may use it. Its connections end when idle.
      if (kept === undefined || !isDeepStrictEqual(settings, kept.settings)) kept = { settings, dispatcher };
      return { headers, dispatcher: kept.dispatcher };
    },
  };
}
