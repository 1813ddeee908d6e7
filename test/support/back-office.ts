import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type { SiteCredentials } from "../../src/domain/headers/site-credentials.ts";
import type { SiteHeader } from "../../src/domain/headers/site-headers.ts";
import type { TlsTrust } from "../../src/net/tls-trust.ts";
import { createAuthority } from "./certificates.ts";
import { type Site, serveSite } from "./site.ts";

/** A site whose owner is signed in: what changes something there does so at once, by GET or POST. */
export type BackOffice = Site & {
  /** Each request that changed something, as method and address. */
  changes: string[];
  /** Undefined where a client certificate is all. */
  credentials: SiteCredentials | undefined;
  /** With the client certificate, where there is one. */
  tls: TlsTrust | undefined;
};

/** By what a site knows its owner. */
type Way = {
  headers?: SiteHeader[];
  username?: string;
  password?: string;
  knows: (request: IncomingMessage) => boolean;
};
const withHeader = (name: string, value: string): Way => ({
  headers: [{ name, value }],
  knows: ({ headers }) => (headers[name.toLowerCase()] ?? "").includes(value),
});
const CHALLENGE = { "www-authenticate": 'Basic realm="Back office"' };
export const ways = {
  "a cookie": withHeader("Cookie", "session=ok"),
  "a bearer token": withHeader("Authorization", "Bearer 0a1b2c3d4e"),
  "a header of its own": withHeader("X-Api-Key", "0a1b2c3d4e"),
  "Basic HTTP Authentication": {
    ...{ username: "ada", password: "correct horse" },
    knows: ({ headers }) => headers.authorization === `Basic ${btoa("ada:correct horse")}`,
  },
  "a client certificate alone": {
    knows: ({ socket }) => (socket as TLSSocket).getPeerCertificate().subject?.CN === "Ada",
  },
} as const satisfies Record<string, Way>;

const TOKEN = "4f9c2d81ab";
const page = (title: string, body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1>${body}</main></body></html>`;
const link = (href: string, attributes = ""): string =>
  `<a href="${href.replaceAll("&", "&amp;")}" ${attributes}>${href}</a>`;

/** Links that differ only in the object. */
const many = (path: string): string => Array.from({ length: 100 }, (_, id) => link(`${path}?n=${id}`)).join(" ");

/** Addresses that act, by what says so. */
export const acting = [
  "/posts/1/delete",
  "/posts/my-post/publish?id=5",
  `/posts?action=trash&id=2&_wpnonce=${TOKEN}`,
  `/posts?id=2&sectok=${TOKEN}`,
  "/plugins?activate=seo",
  "/beitraege/7/löschen",
  "/cart/add/7",
];
export const byAttribute = ["/posts/3/one", "/posts/3/two", "/posts/3/three"];
const attributes = ['data-method="delete"', 'hx-post="/x"', `onclick="return confirm('Sure?')"`];
/** Addresses that lead to those that act. */
export const leading = ["/moved", "/refresh"];
export const reading = [
  "/posts/1",
  "/docs/how-to-update",
  "/wiki/Install",
  "/blog/archive",
  "/framed",
  "/ahead",
  "/scripted",
  "/workers",
];

/** A token by no name that is known: another one at each read. An id that looks like one is the same each time. */
const touch = (): string => link(`/touch?id=3&h=${randomUUID().replaceAll("-", "")}`);
export const byId = "/item?ref=0b2c9a4e-7c1d-4b1f-9a55-2f1f4a1c9d11";

const routes: Record<string, string> = {
  "/": page(
    "Posts",
    [
      ...[...acting, ...leading, ...reading, "/posts/new", "/sitemap.xml"].map((href) => link(href)),
      ...byAttribute.map((href, index) => link(href, attributes[index])),
      ...[1, 2, 3, 4, 5].map((id) => link(`/posts/${id}/edit`)),
      '<a href="/o/7">Log out</a>',
    ].join(" "),
  ),
  "/refresh": page("Refresh", "", '<meta http-equiv="refresh" content="0; url=/posts/2/archive">'),
  "/framed": page("Framed", '<iframe title="Frame" src="/posts/4/purge"></iframe>'),
  "/ahead": page(
    "Ahead",
    "<p>What is loaded before somebody asks for it.",
    `<link rel="prefetch" href="/posts/21/delete"><script type="speculationrules">{
       "prefetch": [{ "urls": ["/posts/22/delete"], "eagerness": "immediate" }],
       "prerender": [{ "urls": ["/posts/23/delete"], "eagerness": "immediate" }]
     }</script>
     <script>
       const rules = document.createElement("script");
       rules.type = "speculationrules";
       rules.text = '{ "prefetch": [{ "urls": ["/posts/24/delete"], "eagerness": "immediate" }] }';
       document.head.append(rules);
     </script>`,
  ),
  "/worker.js": 'fetch("/api/work", { method: "POST" });',
  "/rules": '{ "prefetch": [{ "urls": ["/posts/25/delete"], "eagerness": "immediate" }] }',
  "/scripted": page(
    "Scripted",
    `<p id="shown"></p>
     <button onclick="fetch('/posts/9/undelete')">Stop</button>
     <button id="save" onclick="fetch('/posts/9', { method: 'POST' })">Save</button>
     <button aria-expanded="false" onclick="fetch('/posts/9/menu')">Menu</button>
     <script>
       fetch("/api/save", { method: "POST", body: "1" }).catch(() => {});
       fetch("/graphql", { method: "POST", body: "1" }).then((found) => found.text()).then((text) => { shown.textContent = text; }, () => {});
       fetch("/api?action=delete&token=${TOKEN}").catch(() => {});
       navigator.sendBeacon("/api/seen", "1");
       addEventListener("load", () => { location.href = "/posts/8/delete"; });
     </script>`,
  ),
  "/workers": page(
    "Workers",
    `<img alt="" src="/logout">
     <script>
       const inner = document.body.appendChild(document.createElement("iframe")).contentWindow;
       for (const one of [window, inner]) {
         one.navigator.serviceWorker.register("/worker.js").catch(() => {});
         if (one.SharedWorker) new one.SharedWorker("/worker.js");
       }
       fetch("/logout").catch(() => {});
       new EventSource("/api?action=remove&token=${TOKEN}");
     </script>`,
  ),
  "/flips": page("Flips", many("/flip")),
  "/ticks": page("Ticks", many("/tick")),
  "/opens": page("Opens", many("/open")),
  "/outs": page("Outs", many("/out")),
  "/canvas": page("Canvas", "<p>Text. <button>Undo</button><p>The old text was deleted."),
  "/login": page(
    "Sign in",
    '<form method="post"><input name="user"><input type="password"><button>Sign in</button></form>',
  ),
};

const types: Record<string, string> = {
  "/rules": "application/speculationrules+json",
  "/worker.js": "text/javascript",
};
const redirects: Record<string, string> = {
  "/moved": "/posts/1/delete",
  "/flip": "/list?trashed=1",
  "/tick": "/",
  "/open": "/canvas",
  "/out": "/login?msg=1",
};

/** Whether a request changes something there. */
function changesSomething(method: string, address: string): boolean {
  const { pathname, search } = new URL(address, "http://any/");
  const path = decodeURI(pathname) + search;
  if (method !== "GET" && method !== "HEAD") return pathname !== "/graphql";
  return (
    [...acting, ...byAttribute].includes(path) ||
    /^\/posts\/\d+\/(delete|archive|purge|undelete)$/.test(path) ||
    pathname === "/touch" ||
    (pathname === "/api" && search !== "") ||
    ["/o/7", "/logout"].includes(pathname)
  );
}

type Send = (status: number, body: string, more?: Record<string, string>) => unknown;

/** A list whose entries have links that remove them, which nothing tells from others. */
function listOfTickets(): { answer(path: string, send: Send): boolean } {
  const ids = Array.from({ length: 40 }, (_, index) => 100 + index);
  return {
    answer(path, send) {
      const [, id] = /^\/tickets\/(\d+)\/x9$/.exec(path) ?? [];
      const links = ids.map((one) => `${link(`/tickets/${one}`)} ${link(`/tickets/${one}/x9`)}`);
      if (id === undefined && path !== "/tickets") return false;
      if (id === undefined) send(200, page("Tickets", links.join(" ")));
      else {
        ids.splice(ids.indexOf(Number(id)), 1);
        send(302, "", { location: "/tickets" });
      }
      return true;
    },
  };
}

export async function serveBackOffice(by: keyof typeof ways = "a cookie"): Promise<BackOffice> {
  const { knows, ...given }: Way = ways[by];
  const changes: string[] = [];
  let flash = "";
  const tickets = listOfTickets();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = "", url = "" } = request;
    const send = (status: number, body: string, more = {}) =>
      response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...more }).end(body);
    if (changesSomething(method, url)) changes.push(`${method} ${url}`);
    const path = url.split("?")[0] ?? "";
    if (path === "/tick") flash = "<p>The entry was archived.";
    if (tickets.answer(path, send)) return;
    if (redirects[path]) return void send(302, "", { location: redirects[path] });
    if (types[path]) return void send(200, routes[path] ?? "", { "content-type": types[path] });
    if (path === "/ahead") response.setHeader("speculation-rules", '"/rules"');
    const body = routes[path] ?? page(path, "<p>Text.");
    if (path !== "/") return void send(200, body);
    send(200, body.replace("</main>", `${flash} ${touch()} ${link(byId)}</main>`));
    flash = "";
  };
  const certified = by === "a client certificate alone" ? certify() : undefined;
  const admit: typeof answer = (request, response) => {
    if (knows(request)) answer(request, response);
    else response.writeHead(401, CHALLENGE).end();
  };
  const site = await serveSite({ "*": admit }, "127.0.0.1", certified?.server);
  const { host } = new URL(site.origin);
  const tls = certified && { ...certified.trust, clientCertificates: new Map([[host, certified.client]]) };
  return { ...site, changes, tls, credentials: certified ? undefined : { host, ...given } };
}

/** A server that asks for client certificates, one for Ada, and whom her program trusts. */
function certify() {
  const [authority, clients] = [createAuthority(), createAuthority("Clients")];
  const server = { ...authority.issue(["127.0.0.1"]), ca: clients.ca, requestCert: true, rejectUnauthorized: false };
  const trust = { authorities: [authority.ca], insecureHosts: new Set<string>() };
  return { server, trust, client: clients.issue(["Ada"]) };
}
