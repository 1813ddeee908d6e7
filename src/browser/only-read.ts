import type { CDPSession, Protocol } from "puppeteer-core";
import { type ActRule, type SentRequest, signOf } from "../domain/acts/acts.ts";
import { SAFE } from "../domain/acts/rule.ts";
import { endsSession } from "../domain/sign-in/sign-in-page.ts";

/** Whether a request may be sent by a page that is used, which nobody has asked to do anything: neither to sign out. */
export function onlyReads(event: Protocol.Fetch.RequestPausedEvent, acts?: Pick<ActRule, "maySend">): boolean {
  const { request, resourceType } = event;
  const isSafe = resourceType !== "Document" && SAFE.test(request.method) && !endsSession(request.url);
  // Nobody has asked for what a script requests when a key is pressed: an address with a verb of change is not, whoever is signed in.
  const isPart = PARTS.test(resourceType);
  const acting = isSafe && !isPart && signOf(request.url, { signedIn: true, common: NONE })?.kind === "acts";
  return isSafe && !acting && (acts?.maySend(sentRequest(event)) ?? true);
}

const NONE: ReadonlySet<string> = new Set();

/** Types of requests for what a page consists of. */
const PARTS = /^(?:Image|Stylesheet|Script|Font|Media|TextTrack|Manifest)$/;

/** A paused request, as rules judge it. */
export function sentRequest({ request, resourceType }: Protocol.Fetch.RequestPausedEvent): SentRequest {
  const { method, url, headers } = request;
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const authorized = given.has("authorization");
  // What is loaded ahead is what somebody may open.
  const isDocument = resourceType === "Document" || /prefetch/.test(given.get("sec-purpose") ?? "");
  const of = isDocument ? "document" : PARTS.test(resourceType) ? "part" : "script";
  return { method, url, authorized, of };
}

/**
 * Pauses all requests of a tab, for `onlyReads`. Those over sockets and of shared workers cannot be paused: the scripts of
 * the page send nothing there from now on, and shared workers are closed.
 *
 * @param browserSession the session of the browser
 * @returns undoes that, except for what was closed
 */
export async function pauseRequests(
  session: CDPSession,
  browserSession: CDPSession,
  settings: Protocol.Fetch.EnableRequest,
): Promise<() => Promise<void>> {
  const [{ identifier }, { targetInfos }] = await Promise.all([
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${sendNothing})()`, runImmediately: true }),
    browserSession.send("Target.getTargets", { filter: [{ type: "shared_worker" }] }),
    session.send("Fetch.enable", { ...settings, patterns: [{ requestStage: "Request" }] }),
  ]);
  const own = await session.send("Target.getTargetInfo");
  const { browserContextId } = own.targetInfo;
  for (const { targetId, browserContextId: id } of targetInfos)
    if (id === browserContextId) await browserSession.send("Target.closeTarget", { targetId });
  return async () => {
    await Promise.all([
      session.send("Page.removeScriptToEvaluateOnNewDocument", { identifier }),
      session.send("Fetch.enable", settings),
    ]);
  };
}

/** Runs in the page's own world: what its scripts send over sockets, and to shared workers, is lost. */
function sendNothing(): void {
  WebSocket.prototype.send = () => {};
  RTCDataChannel.prototype.send = () => {};
  const { port1 } = new MessageChannel();
  Object.assign(window, {
    SharedWorker: class extends EventTarget {
      port = port1;
    },
  });
}
