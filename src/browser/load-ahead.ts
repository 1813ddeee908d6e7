import type { CDPSession, Protocol } from "puppeteer-core";
import { WORLD } from "./world.ts";

/**
 * Lets pages of a session load nothing ahead by speculation rules, and start no workers that outlive them: such requests cannot
 * be paused, and what acts would act.
 *
 * @returns what to wait for before a page is opened
 */
export function loadNothingAhead(session: CDPSession): Promise<unknown>[] {
  const source = `(${ignoreSpeculationRules})()`;
  return [
    // Without it our world begins with the first script of the page, which rules are not.
    session.send("Runtime.enable"),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source, worldName: WORLD }),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${startNoWorkers})()` }),
  ];
}

/** Whether a request is for speculation rules that a response names. It has no type of its own. */
export function asksForRules({ request, resourceType }: Protocol.Fetch.RequestPausedEvent): boolean {
  const { Accept, Origin } = request.headers as Partial<Record<string, string>>;
  return resourceType === "Other" && request.method === "GET" && Accept === "*/*" && Origin !== undefined;
}

/** Runs in the page's own world, which is then that of a browser without shared workers, as some are. */
function startNoWorkers(): void {
  Reflect.deleteProperty(window, "SharedWorker");
  const refuse = async (): Promise<never> => {
    throw new DOMException("Service workers are switched off.", "SecurityError");
  };
  if (window.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = refuse;
}

/** Runs in our world of each document, before its own scripts. An observer is called before the browser reads the rules. */
function ignoreSpeculationRules(): void {
  const isRules = (node: Node): node is HTMLScriptElement =>
    node instanceof HTMLScriptElement &&
    (Element.prototype.getAttribute.call(node, "type") ?? "").trim().toLowerCase() === "speculationrules";
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes) {
        const inner = node instanceof Element ? Element.prototype.querySelectorAll.call(node, "script[type]") : [];
        for (const one of [node, ...inner]) if (isRules(one)) Element.prototype.remove.call(one);
      }
  });
  observer.observe(document, { childList: true, subtree: true });
}
