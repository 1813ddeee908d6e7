import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { html } from "./members-sites.ts";
import type { Routes } from "./site.ts";

const CLIENT = { client_id: "shop", client_secret: "not a real secret", response_types: ["code" as const] };

/**
 * Starts an OpenID provider on a host of its own. Its pages to sign in take any name and password, and ask for consent.
 *
 * @param callback the address of the site to which it leads back
 */
export async function startProvider(callback: string): Promise<{ issuer: string; close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  // It says on the console what of its defaults is for development only, when that is first used.
  const silenced = mute(["warn", "info"]);
  const seconds = 600;
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [callback], grant_types: ["authorization_code"] }],
    pkce: { required: () => false },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    ttl: { Interaction: seconds, Session: seconds, Grant: seconds, AccessToken: seconds, IdToken: seconds },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    close: () =>
      new Promise((resolve) => {
        silenced.restore();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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
