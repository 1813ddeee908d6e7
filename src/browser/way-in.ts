import type { CDPSession, Protocol } from "puppeteer-core";
import { type AddressSpace, outermost } from "../domain/addresses/address-space.ts";
import { PageError } from "../domain/failure.ts";
import type { ProxyPass } from "../net/proxy-pass.ts";
import { within } from "../time/within.ts";
import { fetchSettings, showPass } from "./credentials.ts";

/**
 * Judges the requests of a tab that may lead into private networks or to this machine, by the documents that send them, and
 * gives the proxy a permit for those that may. Requests that cannot be paused get none (net/proxy-pass.ts).
 *
 * A frame is as far away as everything that was ever loaded in it and in the frames around it. So it does not matter what a
 * document without an address of its own (`about:`, `blob:`, `data:`, `srcdoc`) is made from: somebody in these frames made it.
 */
export type WayIn = {
  /** Begins a visit. */
  begin(mainFrameId: string): void;
  /** @param isStep whether steps of the user may lead the tab back to a host that is named */
  mayPass(event: Protocol.Fetch.RequestPausedEvent, isStep: boolean): Promise<boolean>;
  stop(): void;
};

/** How long to wait for an event that the browser sends by another way. */
const LATE_EVENT_MS = 2_000;
const MAX_REMEMBERED = 20_000;

type FrameOf = { parent: string | undefined; space: AddressSpace };

export function watchWayIn(session: Pick<CDPSession, "on" | "off">, pass: ProxyPass): WayIn {
  let main = "";
  const isPageOf = ({ frameId, resourceType }: Protocol.Fetch.RequestPausedEvent): boolean =>
    frameId === main && resourceType === "Document";
  if (!pass.isOpen)
    return {
      begin: (mainFrameId) => {
        main = mainFrameId;
      },
      mayPass: async (event) => {
        if (isPageOf(event)) pass.lead(event.request.url);
        return true;
      },
      stop: () => {},
    };
  const frames = new Map<string, FrameOf>();
  /** The spaces of the main frame's documents, by their loaders. */
  const documents = new Map<string, AddressSpace>();
  /** The document that is there in the main frame, as its frames see it. */
  let current: AddressSpace = "loopback";
  /** The loaders of the documents that have sent requests. */
  const loaders = new Map<string, string>();
  /** The furthest that each request was led to, by redirects. */
  const reached = new Map<string, AddressSpace>();
  /** What ends the permits of a request. */
  const permits = new Map<string, (() => void)[]>();
  let changed = Promise.withResolvers<void>();
  const off: (() => void)[] = [];

  const on: CDPSession["on"] = (name, handler) => {
    off.push(() => session.off(name, handler));
    return session.on(name, handler);
  };
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const endPermits = ({ requestId }: { requestId: string }): void => {
    for (const end of permits.get(requestId) ?? []) end();
    permits.delete(requestId);
  };
  on("Page.frameAttached", ({ frameId, parentFrameId }) => {
    // Of a main frame that has been elsewhere only the document that is there now surrounds it.
    frames.set(frameId, { parent: parentFrameId, space: parentFrameId === main ? current : "loopback" });
    change();
  });
  on("Page.frameDetached", ({ frameId, reason }) => {
    if (reason === "remove") frames.delete(frameId);
  });
  on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === main) current = documents.get(frame.loaderId) ?? current;
  });
  on("Network.requestWillBeSent", ({ requestId, loaderId }) => {
    remember(loaders, requestId, loaderId);
    change();
  });
  on("Network.loadingFinished", endPermits);
  on("Network.loadingFailed", endPermits);

  /** Waits for what an event brings. @returns undefined if it does not come */
  const awaited = <Value>(read: () => Value | undefined): Promise<Value | undefined> => {
    const waiting = async (): Promise<Value | undefined> => {
      for (;;) {
        const value = read();
        if (value !== undefined) return value;
        await changed.promise;
      }
    };
    return within(LATE_EVENT_MS, waiting(), undefined);
  };
  const mainSpace = async (networkId: string | undefined): Promise<AddressSpace> => {
    const all = [...documents.values()];
    const [only, ...others] = new Set(all);
    if (others.length === 0) return only ?? pass.heard();
    // It has been elsewhere and back: which of its documents asks?
    const loader = networkId === undefined ? undefined : await awaited(() => loaders.get(networkId));
    return documents.get(loader ?? "") ?? all.reduce(outermost);
  };
  const spaceOf = async (frameId: string, networkId: string | undefined): Promise<AddressSpace> => {
    if (frameId === main) return mainSpace(networkId);
    let frame = await awaited(() => frames.get(frameId));
    let space: AddressSpace = "loopback";
    for (let depth = 0; depth < 1_000; depth += 1) {
      // Nothing is known of it, as of frames that live in another process.
      if (!frame) return pass.heard();
      space = outermost(space, frame.space);
      if (frame.parent === main) return space;
      frame = frames.get(frame.parent ?? "");
    }
    return pass.heard();
  };
  const askers = async (event: Protocol.Fetch.RequestPausedEvent): Promise<AddressSpace[]> => {
    const { frameId, networkId, redirectedRequestId } = event;
    const isPage = isPageOf(event);
    const before = redirectedRequestId === undefined ? [] : [reached.get(redirectedRequestId) ?? "public"];
    // The script of a worker is of the origin that starts it.
    if (frameId === networkId) return before;
    if (!isPage) return [await spaceOf(frameId, networkId), ...before];
    // The first one is ours. Later ones may be of any frame.
    if (documents.size === 0 || (documents.size === 1 && before.length > 0)) return before;
    return [...documents.values(), ...[...frames.values()].map(({ space }) => space), ...before];
  };
  return {
    begin: (mainFrameId) => {
      main = mainFrameId;
      current = "loopback";
      for (const ends of permits.values()) for (const end of ends) end();
      for (const map of [frames, documents, loaders, reached, permits]) map.clear();
    },
    mayPass: async (event, isStep) => {
      const { request, requestId, frameId, networkId, resourceType } = event;
      const url = URL.parse(request.url);
      if (!url || !/^https?:$/.test(url.protocol)) return true;
      const isPage = isPageOf(event);
      const from = await askers(event);
      const judged = await pass.approach(url, { from, isStep: isStep && isPage }).catch(unlessUnknown);
      if (!judged) return true;
      const { to, isAllowed } = judged;
      remember(reached, requestId, from.reduce(outermost, to));
      if (!isAllowed) return false;
      if (isPage) {
        documents.set(networkId ?? requestId, to);
        pass.lead(url.href);
      } else if (resourceType === "Document") {
        const frame = await awaited(() => frames.get(frameId));
        if (frame) frame.space = outermost(frame.space, to);
      }
      if (to === "public") return true;
      const end = pass.permit(request.method, url.href);
      const id = networkId ?? requestId;
      permits.set(id, [...(permits.get(id) ?? []), end]);
      return true;
    },
    stop: () => {
      for (const forget of off) forget();
    },
  };
}

/** The proxy says what is wrong with a name that nobody knows. @throws PageError */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof PageError) throw error;
}

/**
 * Guards a tab that has no visits, in which steps may lead back to a host that is named, and shows its pass to the proxy.
 *
 * @param maySend whether a document may be asked for
 */
export async function guardTab(
  session: CDPSession,
  pass: ProxyPass,
  maySend: (request: Protocol.Network.Request) => boolean,
): Promise<void> {
  showPass(session, pass.credentials);
  const wayIn = watchWayIn(session, pass);
  const decide = async (event: Protocol.Fetch.RequestPausedEvent): Promise<unknown> => {
    const { requestId } = event;
    const mayPass = maySend(event.request) && (await wayIn.mayPass(event, true).catch(() => false));
    return mayPass
      ? session.send("Fetch.continueRequest", { requestId })
      : session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
  };
  session.on("Fetch.requestPaused", (event) => void decide(event).catch(() => {}));
  const [{ frameTree }] = await Promise.all([
    session.send("Page.getFrameTree"),
    session.send("Page.enable"),
    session.send("Network.enable"),
    session.send("Fetch.enable", fetchSettings(undefined, pass.isOpen)),
  ]);
  wayIn.begin(frameTree.frame.id);
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
