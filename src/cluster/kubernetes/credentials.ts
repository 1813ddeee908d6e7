import { isDeepStrictEqual } from "node:util";
import { HttpMethod, type KubeConfig, RequestContext } from "@kubernetes/client-node";

type Dispatcher = NonNullable<ReturnType<RequestContext["getDispatcher"]>>;
export type Credentials = { headers: Record<string, string>; dispatcher: Dispatcher | undefined };

/**
 * The headers of a KubeConfig's user, read again for each request because tokens are rotated, and connections with its
 * TLS settings. The client library makes a new connection for each request, and the TLS handshakes would take more time
 * than everything else that a controller does. Here connections are kept until the settings change.
 *
 * @param options.reuse false: a new connection for each request
 */
export function createCredentials(
  config: KubeConfig,
  { reuse = true }: { reuse?: boolean } = {},
): (url: string) => Promise<Credentials> {
  let kept: { settings: unknown; dispatcher: Dispatcher } | undefined;

  return async (url) => {
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
  };
}
