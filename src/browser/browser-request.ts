import { isUserAgent } from "../domain/headers/user-agent.ts";

/** The only settings of a browser that a client of an endpoint may choose (endpoint.ts). */
export type BrowserRequest = {
  /** The port of the filtering proxy on loopback. */
  proxyPort: number;
  sandbox: boolean;
  /** The user agent of every request, also of workers; the browser's own when left out. */
  userAgent?: string | undefined;
  /** Whether cookies stay on the port that set them. */
  portBoundCookies?: boolean | undefined;
  /** Whether pages may play sound before somebody has used them, as some browsers let them. Nobody hears it. */
  playsSound?: boolean | undefined;
  /** The key whose certificates are accepted for any host: the proxy's own (net/tls-end.ts). */
  acceptedKey?: string | undefined;
};

/** A SHA-256 in Base64. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;

/** @throws Error that says what was received, and what is allowed */
export function readRequest(text: string): BrowserRequest {
  const { proxyPort, sandbox, userAgent, portBoundCookies, playsSound, acceptedKey } = JSON.parse(
    text,
  ) as Partial<BrowserRequest>;
  if (
    typeof sandbox === "boolean" &&
    Number.isInteger(proxyPort) &&
    Number(proxyPort) > 0 &&
    Number(proxyPort) < 65_536 &&
    (userAgent === undefined || isUserAgent(userAgent)) &&
    (acceptedKey === undefined || KEY.test(acceptedKey))
  )
    return {
      ...{ proxyPort: Number(proxyPort), sandbox, userAgent, acceptedKey },
      ...{ portBoundCookies: portBoundCookies === true, playsSound: playsSound === true },
    };
  throw new Error(
    `a client requested the browser ${text.slice(0, 200)}; the request must be {"proxyPort": 1 to 65535, "sandbox": true or false, "userAgent": printable ASCII, "acceptedKey": a SHA-256 in Base64}`,
  );
}
