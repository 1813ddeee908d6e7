import { isDeepStrictEqual } from "node:util";
import { HttpMethod, type KubeConfig, RequestContext } from "@kubernetes/client-node";

type Dispatcher = NonNullable<ReturnType<RequestContext["getDispatcher"]>>;
export type Credentials = { headers: Record<string, string>; dispatcher: Dispatcher | undefined };

/**
 * The headers of a KubeConfig's user, read anew for each request since tokens are rotated, and the connections that
 * have its TLS settings. The library makes new connections for each request, with a TLS handshake each, which takes
 * more time than all else that a controller does; here they are kept until the settings change.
 *
 * @param options.reuse false: a new connection for each request all the same
 */
export function createCredentials(
  config: KubeConfig,
  { reuse = true }: { reuse?: boolean } = {},
): (url: string) => Promise<Credentials> {
  let kept: { settings: unknown; dispatcher: Dispatcher } | undefined;

  return async (url) => {
    const context = new RequestContext(url, HttpMethod.GET);
    let settings: unknown;
    // The library asks for the settings of the connections that it is about to make.
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
    // The one before is not closed: a request that begins now may have been given it. Its connections end when idle.
    if (kept === undefined || !isDeepStrictEqual(settings, kept.settings)) kept = { settings, dispatcher };
    return { headers, dispatcher: kept.dispatcher };
  };
}
