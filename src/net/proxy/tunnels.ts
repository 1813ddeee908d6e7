import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { VisitBudget } from "../../domain/scope/visit-budget.ts";
import { ipLiteral } from "../guarded-lookup.ts";
import { networkFailure } from "../network-failure.ts";
import { noWayIn } from "../pins.ts";
import type { OwnPass } from "../proxy-pass.ts";
import type { TlsEnd } from "../tls-end.ts";
import { openTunnel } from "../upstream-proxy.ts";
import type { Outcomes } from "./outcomes.ts";
import { beginsWell, isLetIn, type Reach } from "./reach.ts";
import { CHALLENGE } from "./requests.ts";

const MAX_TUNNEL_BYTES = 200 * 1024 * 1024;
const CHALLENGE_LINE = `proxy-authenticate: ${CHALLENGE["proxy-authenticate"]}\r\n`;

type Deps = {
  reach: Reach;
  outcomes: Outcomes;
  passOf: (incoming: IncomingMessage) => OwnPass | undefined;
  /** Closes a socket with the proxy. */
  trackSocket: (socket: Duplex) => void;
  tlsEnd: TlsEnd | undefined;
};

/** Where a tunnel leads, and who asks for it. */
type Tunnel = {
  pass: OwnPass;
  budget: VisitBudget;
  client: Duplex;
  host: string;
  port: number;
  target: string;
  url: URL;
};

/** @param known who asks for a WebSocket, if that need not be shown */
export type OpenTunnel = (incoming: IncomingMessage, client: Duplex, head: Buffer, known?: OwnPass) => void;

/** Opens tunnels, for TLS and WebSockets: each is judged, and led to where it may go. */
export function tunnelOpener(deps: Deps): OpenTunnel {
  const { reach, outcomes, passOf } = deps;
  return (incoming, client, head, known) => {
    const [, host, portText] = /^(\[[0-9a-f:.]+\]|[^:/@]+):(\d{1,5})$/i.exec(incoming.url ?? "") ?? [];
    const port = Number(portText);
    client.on("error", () => {});
    const pass = known ?? passOf(incoming);
    if (!pass) return end(client, "407 Proxy Authentication Required", `${CHALLENGE_LINE}content-length: 0\r\n`);
    if (!host || port < 1 || port > 65_535) return end(client, "400 Bad Request");
    const target = `${host}:${port}`;
    const refused = reach.blockedLiteral(host);
    if (refused) {
      outcomes.record(target, refused);
      return end(client, "403 Forbidden");
    }
    outcomes.touch(target);
    outcomes.awaits(client, target);
    const url = new URL(`https://${target}`);
    // Of the visit that asks: another one may have begun when the server is reached.
    const budget = pass.budget();
    if (!budget.take(url.hostname, "GET")) return end(client, "429 Too Many Requests");
    const tunnel = { pass, budget, client, host, port, target, url };
    // Others on this machine may have been faster than the browser.
    openTo(deps, tunnel, { answer: answerOf(client, head), mayShow: !known });
  };
}

function end(client: Duplex, status: string, headers = ""): void {
  client.end(`HTTP/1.1 ${status}\r\n${headers}\r\n`);
}

/** Says that the tunnel is open, once. */
type Answer = { give(): void; isGiven(): boolean };

function answerOf(client: Duplex, head: Buffer): Answer {
  let isGiven = false;
  return {
    isGiven: () => isGiven,
    give() {
      if (isGiven) return;
      isGiven = true;
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) client.unshift(head);
    },
  };
}

/** Judges a tunnel, dials its server, and passes everything on. */
function openTo(deps: Deps, tunnel: Tunnel, { answer, mayShow }: { answer: Answer; mayShow: boolean }): void {
  const { outcomes } = deps;
  const { pass, client, target } = tunnel;
  /** What happens after the browser has left says nothing about the server. */
  const fail = (error: unknown): void =>
    void (client.destroyed || outcomes.record(target, networkFailure(error, target)));
  judge(tunnel, answer)
    .then(() => dial(deps, tunnel))
    .then(
      (socket) => {
        outcomes.record(target);
        answer.give();
        if (!deps.tlsEnd) return follow(outcomes, tunnel, client, socket);
        const shows = mayShow && pass.shows();
        if (shows) pass.showed(client);
        endTls(deps, deps.tlsEnd, tunnel, { socket, shows, fail });
      },
      (error) => {
        fail(error);
        if (answer.isGiven()) client.destroy();
        else end(client, "502 Bad Gateway");
      },
    );
}

/** @throws PageError for whoever may not go there */
async function judge({ pass, client, target, url }: Tunnel, answer: Answer): Promise<void> {
  if (await isLetIn(pass, url, [pass.heard()])) return;
  // Who asks shows when it speaks.
  answer.give();
  if (!(await beginsWell(pass, url, target, client))) throw noWayIn(url, pass.policy);
}

async function dial({ reach, trackSocket }: Deps, { pass, client, host, port, target, url }: Tunnel): Promise<Socket> {
  /** Closes a connection with the browser's. @throws Error if that is closed already */
  const tie = (socket: Socket): Socket => {
    if (client.destroyed) {
      socket.destroy();
      throw new Error("the browser has closed its connection");
    }
    trackSocket(socket);
    client.once("close", () => socket.destroy());
    return socket;
  };
  const proxy = await reach.gate(url);
  if (proxy) return tie(await openTunnel(proxy, target));
  const socket = tie(connect({ host: ipLiteral(host) ?? host, port, lookup: pass.lookup, autoSelectFamily: true }));
  reach.verifyAddress(socket, host, target);
  const connected = Promise.withResolvers<Socket>();
  socket.on("error", connected.reject);
  // An address that is refused has been destroyed.
  socket.once("connect", () => socket.destroyed || connected.resolve(socket));
  return connected.promise;
}

type Dialled = { socket: Socket; shows: boolean; fail: (error: unknown) => void };

/** Ends the browser's TLS here, with the trust of the operator, and begins another with the server. */
function endTls(deps: Deps, tlsEnd: TlsEnd, tunnel: Tunnel, { socket, shows, fail }: Dialled): void {
  const { client, host, port } = tunnel;
  // The connection that there is comes first: most servers need no second one.
  let first: Socket | undefined = socket;
  const next = async (): Promise<Socket> => {
    const dialled = first ?? (await dial(deps, tunnel));
    first = undefined;
    return dialled;
  };
  tlsEnd.connect(client, { host, port, shows }, next).then(
    ([browser, server]) => {
      // Later errors say nothing about the server, which has responded.
      server.once("error", fail).once("data", () => server.off("error", fail));
      follow(deps.outcomes, tunnel, browser, server);
    },
    (error) => {
      fail(error);
      client.destroy();
    },
  );
}

/** Passes everything on, and knows which of the two spoke last. */
function follow(outcomes: Outcomes, { budget, client, target, url }: Tunnel, browser: Duplex, server: Duplex): void {
  outcomes.responded(client);
  exchange(browser, server);
  browser.on("data", (chunk: Buffer) => {
    if (!budget.send(url.hostname, chunk.length)) server.destroy();
    else if (!client.destroyed) outcomes.waits(client, target);
  });
  server.on("data", () => outcomes.responded(client));
}

function exchange(one: Duplex, other: Duplex): void {
  if (one.destroyed || other.destroyed) {
    one.destroy();
    other.destroy();
    return;
  }
  tunnel(one, other);
  tunnel(other, one);
}

function tunnel(from: Duplex, to: Duplex): void {
  let size = 0;
  from.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_TUNNEL_BYTES) from.destroy();
  });
  from.on("error", () => {});
  from.once("close", () => to.destroy());
  from.pipe(to);
}
