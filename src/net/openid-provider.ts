import { createHmac } from "node:crypto";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
} from "openid-client";
import { type Provided, ProviderAway, ProviderRefused, readClaims } from "../domain/accounts/provider.ts";
import { isThisMachine } from "../domain/addresses/this-machine.ts";
import { errorText } from "../domain/error-text.ts";
import { OWN_USER_AGENT } from "../domain/headers/user-agent.ts";
import { type AddressPolicy, addressPolicy } from "./addresses.ts";
import { createGuardedAgent } from "./guarded-agent.ts";
import { request } from "./request.ts";

/** A provider of OpenID Connect, as the operator knows it. */
export type ProviderSettings = {
  issuer: string;
  clientId: string;
  /** undefined for a client that the provider does not ask for one. */
  clientSecret: string | undefined;
  /** What is asked for, with spaces: `openid email profile`. */
  scopes: string;
  /** The claim that has groups. */
  groupsClaim: string;
  /** Authorities and proxies on the way there. */
  route?: Pick<AddressPolicy, "tls" | "proxyFor">;
};

/** Signs people in by OpenID Connect: the code flow with PKCE (RFC 7636), state and nonce. */
export type OpenIdProvider = {
  /**
   * The address where somebody signs in. Asks the provider for its settings first, so that nobody is sent to one that is away.
   *
   * @param attempt.secret the browser's: state, nonce and verifier derive from it
   * @param attempt.isAgain asks somebody to sign in who is signed in there already
   * @throws ProviderAway
   */
  begin(attempt: { secret: string; callback: string; isAgain?: boolean }): Promise<string>;
  /**
   * Who has signed in.
   *
   * @param back the address to which the provider led, with its query
   * @throws ProviderAway, ProviderRefused
   */
  finish(back: URL, secret: string): Promise<Provided>;
  /** Where somebody signs out of the provider; undefined where that has no such page. @param after where it leads then @throws ProviderAway */
  end(after: string): Promise<string | undefined>;
};

/** For each request, in milliseconds. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;

/** Nothing is asked for before somebody signs in: a provider that is away is no reason not to start. */
export function createOpenIdProvider(settings: ProviderSettings): OpenIdProvider {
  const { issuer, clientId, clientSecret, scopes, groupsClaim, route } = settings;
  // The operator has named it: it may be anywhere.
  const agent = createGuardedAgent({ ...addressPolicy(["0.0.0.0/0", "::/0"]), ...route });
  let latest: Configuration | undefined;

  const send: CustomFetch = async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const response = await request(await agent.routeOf(url), url, {
      method: method === "POST" ? "POST" : "GET",
      headers: { ...headers, "user-agent": OWN_USER_AGENT, "accept-encoding": "identity" },
      ...(body != null && { body: String(body) }),
      signal: signal ?? new AbortController().signal,
      budget: TIMEOUT_MS,
      maxBytes: () => MAX_BYTES,
      cutsBody: () => false,
    }).catch((error) => {
      throw new ProviderAway(`${url.origin} does not respond: ${errorText(error)}`);
    });
    if (response.status >= 500) throw new ProviderAway(`${url.origin} responded with ${response.status}.`);
    const { status, body: bytes } = response;
    const type = String(response.headers["content-type"] ?? "");
    const hasBody = status !== 204 && status !== 304;
    return new Response(hasBody ? new Uint8Array(bytes ?? []) : null, { status, headers: { "content-type": type } });
  };

  async function discover(): Promise<Configuration> {
    const found = await discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
      [customFetch]: send,
      execute: [
        // What the token's address says is signed, too: a proxy on the way must not be able to change it.
        enableNonRepudiationChecks,
        ...(isThisMachine(new URL(issuer).hostname) ? [allowInsecureRequests] : []),
      ],
    }).catch((error) => {
      throw awayOf(error) ?? new ProviderAway(`${issuer} is no OpenID provider that can be used: ${reasonOf(error)}`);
    });
    latest = found;
    return found;
  }

  return {
    async begin({ secret, callback, isAgain = false }) {
      const { state, nonce, verifier } = derived(secret);
      return buildAuthorizationUrl(await discover(), {
        ...{ redirect_uri: callback, scope: scopes, state, nonce, response_type: "code" },
        ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
        ...(isAgain && { prompt: "login" }),
      }).href;
    },
    async finish(back, secret) {
      const { state, nonce, verifier } = derived(secret);
      const configuration = latest ?? (await discover());
      try {
        const tokens = await authorizationCodeGrant(configuration, back, {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        });
        const claims = tokens.claims();
        if (!claims) throw new ProviderRefused("There is no ID token.");
        const asked = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = asked ? [await fetchUserInfo(configuration, tokens.access_token, claims.sub)] : [];
        return readClaims({ issuer: claims.iss, subject: claims.sub }, [claims, ...more], groupsClaim);
      } catch (error) {
        throw awayOf(error) ?? new ProviderRefused(reasonOf(error));
      }
    },
    async end(after) {
      const configuration = latest ?? (await discover());
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: after }).href;
    },
  };
}

/** What belongs to one attempt: nobody without its secret can make any of it, and nobody who sees it can make the secret. */
function derived(secret: string) {
  const part = (name: string) => createHmac("sha256", secret).update(name).digest("base64url");
  return { state: part("state"), nonce: part("nonce"), verifier: part("verifier") };
}

/** The client's secret in the way that the provider takes (OpenID Connect Core, 9): Basic unless it says otherwise. */
function authentication(clientSecret: string | undefined): ClientAuth {
  if (clientSecret === undefined) return None();
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const by = methods.includes("client_secret_basic") ? ClientSecretBasic : ClientSecretPost;
    return by(clientSecret)(server, client, body, headers);
  };
}

function awayOf(error: unknown): ProviderAway | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ProviderAway) return cause;
  return undefined;
}

/** What can be said of an error: its messages and OAuth's words, never a body or a header. */
function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let cause = error; cause instanceof Error && said.length < 3; cause = cause.cause) {
    const { error: code, error_description: text } = cause as { error?: unknown; error_description?: unknown };
    said.push([errorText(cause), code, text].filter((part) => typeof part === "string").join(" "));
  }
  return said
    .join(": ")
    .replace(/\p{C}+/gu, " ")
    .slice(0, 500);
}
