import type { CDPSession, Protocol } from "puppeteer-core";

/** The browser's or the page's process is gone: nothing is known about the page. */
export class BrowserEndedError extends Error {
  /** False when that was before the visit began, so that the page cannot be the cause. */
  readonly visited: boolean;

  constructor(message: string, { visited = true }: { visited?: boolean } = {}) {
    super(message);
    this.name = "BrowserEndedError";
    this.visited = visited;
  }
}

/** The process of a context's tab. */
export type TabProcess = {
  /** Rejects with BrowserEndedError when it ends. */
  crashed: Promise<never>;
  /** Stops watching. */
  stop(): void;
};

/**
 * Watches for the end of the process of a context's first tab, from before there is one. The tab's own session reports
 * that only once it is set up, and its commands are never answered if the process has ended before that.
 *
 * @param browserSession the session of the browser, which discovers targets
 */
export function watchProcess(browserSession: CDPSession, contextId: string): TabProcess {
  const crashed = Promise.withResolvers<never>();
  crashed.promise.catch(() => {});
  let tab: string | undefined;
  const created = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
    if (targetInfo.browserContextId === contextId && targetInfo.type === "page") tab ??= targetInfo.targetId;
  };
  const gone = ({ targetId }: { targetId: string }): void => {
    if (targetId === tab) crashed.reject(new BrowserEndedError("The page's process ended."));
  };
  browserSession.on("Target.targetCreated", created);
  browserSession.on("Target.targetCrashed", gone);
  browserSession.on("Target.targetDestroyed", gone);
  return {
    crashed: crashed.promise,
    stop: () => {
      browserSession.off("Target.targetCreated", created);
      browserSession.off("Target.targetCrashed", gone);
      browserSession.off("Target.targetDestroyed", gone);
    },
  };
}
