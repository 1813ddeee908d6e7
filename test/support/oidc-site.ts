import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { html } from "./members-sites.ts";
import type { Routes } from "./site.ts";

const CLIENT = { client_id: "shop", client_secret: "not a real secret", response_types: ["code" as const] };

/** A real OpenID provider on a host of its own. Its pages to sign in take any name and password, and ask for consent. */
export type TestProvider = {
  issuer: string;
  /** Knows a client from then on. @param options.claimsOf what it says of a name, besides that */
  serve(client: {
    id: string;
    secret: string;
    callback: string;
    /** Where it leads back after signing out. */
    after?: string;
    claimsOf?: (name: string) => Record<string, unknown>;
  }): void;
  /** It does not respond any more, until it is started again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a provider that knows nobody yet: its address is known before that of who asks it. */
export async function openProvider(): Promise<TestProvider> {
  let server = createServer();
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => answer(request, response));
      server.listen(port, "localhost", resolve);
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://localhost:${port}`;
  // It says on the console what of its defaults is for development only, when that is first used.
  const silenced = mute(["warn", "info"]);
  return {
    issuer,
    serve({ id, secret, callback, after, claimsOf = () => ({}) }) {
      const seconds = 600;
      const provider = new Provider(issuer, {
        clients: [
          {
            ...{ client_id: id, client_secret: secret, response_types: ["code"], grant_types: ["authorization_code"] },
            redirect_uris: [callback],
            ...(after !== undefined && { post_logout_redirect_uris: [after] }),
          },
        ],
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
        pkce: { required: () => false },
        findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...claimsOf(sub) }) }),
        ttl: { Interaction: seconds, Session: seconds, Grant: seconds, AccessToken: seconds, IdToken: seconds },
      });
      answer = provider.callback();
    },
    stop,
    start: () => listen(port),
    async close() {
      silenced.restore();
      await stop();
    },
  };
}

/**
 * Starts a provider for a site.
 *
 * @param callback the address of the site to which it leads back
 */
export async function startProvider(callback: string): Promise<{ issuer: string; close: () => Promise<void> }> {
  const provider = await openProvider();
  provider.serve({ id: CLIENT.client_id, secret: CLIENT.client_secret, callback });
  return provider;
}

function mute(names: readonly ("warn" | "info")[]): { restore: () => void } {
  const own = Object.fromEntries(names.map((name) => [name, console[name]]));
  Object.assign(console, Object.fromEntries(names.map((name) => [name, () => {}])));
  return { restore: () => void Object.assign(console, own) };
}

/** A site whose pages are for those whom the provider knows. @param issuer known when its first page is requested */
export function siteOfProvider(issuer: () => string, page: (title: string, body: string) => string): Routes {
  const sessions = new Set<string>();
  const callbackOf = (host: string | undefined) => `http://${host}/callback`;
  return {
    "/robots.txt": { status: 404 },
    "/callback": async (request, response) => {
      const { searchParams } = new URL(request.url ?? "", "http://site");
      const answer = await fetch(`${issuer()}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${CLIENT.client_id}:${encodeURIComponent(CLIENT.client_secret)}`)}` },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: searchParams.get("code") ?? "",
          redirect_uri: callbackOf(request.headers.host),
        }),
      });
      const { id_token: token = "" } = (await answer.json()) as { id_token?: string };
      if (!answer.ok || token === "") return html(response, page("No", "<p>The provider refused.</p>"), 403);
      const name = crypto.randomUUID();
      sessions.add(name);
      response.writeHead(303, { location: "/", "set-cookie": `session=${name}; Path=/; HttpOnly` }).end();
    },
    "*": (request, response) => {
      const name = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
      if (sessions.has(name))
        return html(
          response,
          page("Members", `<p id="a">x</p><p id="a">y</p><a href="/orders">Orders</a> <a href="/bills">Bills</a>`),
        );
      const query = new URLSearchParams({
        ...{ client_id: CLIENT.client_id, response_type: "code", scope: "openid" },
        redirect_uri: callbackOf(request.headers.host),
      });
      response.writeHead(303, { location: `${issuer()}/auth?${query}` }).end();
    },
  };
}
