import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import type { Duplex } from "node:stream";
import { type AddressSpace, outermost } from "../domain/addresses/address-space.ts";
import { createVisitBudget, type VisitBudget } from "../domain/scope/visit-budget.ts";
import type { AddressPolicy } from "./addresses.ts";
import { guardedLookup } from "./guarded-lookup.ts";
import { approach, createPins, type Way } from "./pins.ts";
import { mayShow } from "./tls-trust.ts";

/**
 * What one client of the proxy may do, such as a context of a browser. Others on this machine have no pass, and get 407: the
 * proxy would show them the operator's client certificates, and lead them through the operator's proxy.
 */
export type ProxyPass = {
  /** What the client shows (Basic). */
  credentials: { username: string; password: string };
  /** The same as a value of Proxy-Authorization. */
  authorization: string;
  /** Whether private networks or this machine are open to it at all, so that it matters who asks. */
  isOpen: boolean;
  /** Where a URL leads, and whether it may be requested. @throws PageError */
  approach(url: URL, way: Way): Promise<{ to: AddressSpace; isAllowed: boolean }>;
  /** The least private host that anything was requested of: nothing can come from further away. */
  heard(): AddressSpace;
  /** Lets requests in that were judged, until the returned function is called. */
  permit(method: string, url: string): () => void;
  /** Begins a visit, which has a budget of its own for each other host. @param url of its page */
  begin(url: string): void;
  /**
   * Where the tab goes: only pages of hosts that a client certificate is for get it shown. Connections that had it are closed
   * when another page comes.
   */
  lead(url: string): void;
  /** Counts a request that the proxy does not see by itself, since it is in a tunnel. @returns whether it may be sent */
  take(url: string, method: string): boolean;
  /**
   * Has WebSockets come by a way of their own: so it is known what a tunnel is for, and none can be opened in a connection that is
   * there (RFC 8441). A browser shows no pass on this way. So each has to be expected, and client certificates are not shown.
   *
   * @param judge whether one may be opened; the URL has host and port, and is https
   * @returns the rules of Chromium's setting "proxy-server"
   */
  separateSockets(judge: (url: URL) => Promise<boolean>): Promise<string>;
  /** The hosts that the visit has sent all to that it may. */
  usedUp(): string[];
  /** Closes what is left open: the client is gone. */
  end(): void;
};

/** What the proxy itself needs of a pass. */
export type OwnPass = Omit<ProxyPass, "separateSockets"> & {
  policy: AddressPolicy;
  lookup: ReturnType<typeof guardedLookup>;
  /** Connections are not shared: a name may be another host for others. */
  agent: Agent;
  hear(space: AddressSpace): void;
  budget(): VisitBudget;
  /** Whether client certificates may be shown for the page that is there. */
  shows(): boolean;
  /** A connection for which one may have been shown. */
  showed(connection: Duplex): void;
  hasPermit(method: string | undefined, target: string): boolean;
};

export function createPass(given: AddressPolicy): OwnPass {
  const pins = createPins(given);
  const permits = new Map<string, number>();
  // Without a timeout of its own: with the same one as its requests, Node gives a connection that is used again the time
  // for which its server keeps idle ones, often four seconds, also to wait for a response.
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  let heard: AddressSpace = "loopback";
  let budget = createVisitBudget(undefined);
  let shows = false;
  const showed = new Set<Duplex>();
  const lead = (url: string): void => {
    shows = mayShow(given.tls, [new URL(url).hostname]);
    if (shows) return;
    for (const connection of showed) connection.destroy();
    showed.clear();
  };
  const credentials = { username: "browser", password: randomBytes(24).toString("base64url") };
  return {
    credentials,
    authorization: `Basic ${Buffer.from(Object.values(credentials).join(":")).toString("base64")}`,
    isOpen: pins.isOpen,
    policy: pins.policy,
    lookup: guardedLookup(pins.policy),
    agent,
    approach: (url, way) => approach(pins, url, way),
    heard: () => heard,
    hear: (space) => {
      heard = outermost(heard, space);
    },
    permit: (method, url) => {
      const key = permitKey(method, permitTarget(url));
      permits.set(key, (permits.get(key) ?? 0) + 1);
      return () => {
        const left = (permits.get(key) ?? 1) - 1;
        if (left > 0) permits.set(key, left);
        else permits.delete(key);
      };
    },
    // The browser asks by OPTIONS whether it may send what was judged.
    hasPermit: (method, target) =>
      permits.has(permitKey(method ?? "", target)) ||
      (method === "OPTIONS" && [...permits.keys()].some((key) => key.endsWith(` ${target}`))),
    budget: () => budget,
    begin: (url) => {
      budget = createVisitBudget(new URL(url).hostname);
      lead(url);
    },
    take: (url, method) => budget.take(new URL(url).hostname, method),
    usedUp: () => budget.usedUp(),
    lead,
    shows: () => shows,
    showed: (connection) => {
      showed.add(connection);
      connection.once("close", () => showed.delete(connection));
    },
    end: () => agent.destroy(),
  };
}

/** Of https the proxy sees only where it leads. */
function permitKey(method: string, target: string): string {
  return target.includes("://") ? `${method} ${target}` : target;
}

function permitTarget(text: string): string {
  const url = new URL(text);
  return url.protocol === "https:" ? `${url.hostname}:${url.port || 443}` : url.href.replace(/#.*$/s, "");
}

/** A request to open a WebSocket is short. */
const MAX_HEAD_BYTES = 32_000;
const TLS_HANDSHAKE = 0x16;
/** In the list of protocols with which a browser begins TLS for requests, and not for WebSockets (RFC 7301). */
const HTTP_2 = "\x02h2";

/** How a browser begins a connection: by TLS for requests or for WebSockets, or with the request of a WebSocket. */
export type Beginning = { is: "requests" | "unknown" } | { is: "websocket"; origin: string };

/** Reads how a connection begins, and puts it back. @throws Error for one that ends before */
export async function readBeginning(client: Duplex, timeoutMs: number): Promise<Beginning> {
  const chunks: Buffer[] = [];
  const read = Promise.withResolvers<Beginning>();
  const onData = (): void => {
    for (let chunk: Buffer | null = client.read(); chunk; chunk = client.read()) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    const found = beginningOf(all);
    if (found) read.resolve(found);
  };
  const onClose = (): void => read.reject(new Error("the connection was closed before it began"));
  const late = setTimeout(() => read.resolve({ is: "unknown" }), timeoutMs);
  client.on("readable", onData);
  client.once("close", onClose);
  try {
    return await read.promise;
  } finally {
    clearTimeout(late);
    client.off("readable", onData);
    client.off("close", onClose);
    if (chunks.length > 0 && !client.destroyed) client.unshift(Buffer.concat(chunks));
  }
}

/** @returns undefined as long as too little has arrived */
function beginningOf(all: Buffer): Beginning | undefined {
  if (all[0] === undefined) return undefined;
  if (all[0] === TLS_HANDSHAKE) {
    if (all.length < 5 || all.length < 5 + all.readUInt16BE(3)) return undefined;
    return { is: all.includes(HTTP_2, 0, "latin1") ? "requests" : "unknown" };
  }
  const text = all.toString("latin1", 0, MAX_HEAD_BYTES);
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return all.length < MAX_HEAD_BYTES ? undefined : { is: "unknown" };
  const head = text.slice(0, end).split("\r\n");
  const valuesOf = (name: string): string[] =>
    head.flatMap((line) => (line.toLowerCase().startsWith(`${name}:`) ? [line.slice(name.length + 1).trim()] : []));
  const [origin, ...others] = valuesOf("origin");
  const isWebSocket = head[0]?.startsWith("GET ") && valuesOf("upgrade").join().toLowerCase() === "websocket";
  return isWebSocket && origin !== undefined && others.length === 0 ? { is: "websocket", origin } : { is: "unknown" };
}
