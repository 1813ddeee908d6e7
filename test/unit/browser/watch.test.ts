import { EventEmitter } from "node:events";
import { expect } from "chai";
import type { CDPSession } from "puppeteer-core";
import { watchTab } from "../../../src/browser/watch.ts";

describe("what happens in a tab", () => {
  const URLS = { main: "https://a/next", child: "https://b/advertisement" };
  const errorText = "net::ERR_CONNECTION_REFUSED";

  /** A tab whose page is about to be replaced, while a frame of it loads a document. */
  const leavingTab = () => {
    const session = new EventEmitter();
    const watch = watchTab(session as unknown as CDPSession, "main");
    session.emit("Page.frameRequestedNavigation", { frameId: "main", url: URLS.main, disposition: "currentTab" });
    for (const frameId of ["main", "child"] as const)
      session.emit("Network.requestWillBeSent", {
        ...{ requestId: `of ${frameId}`, loaderId: `of ${frameId}`, frameId },
        ...{ type: "Document", request: { url: URLS[frameId] } },
      });
    const fails = (requestId: string) =>
      session.emit("Network.loadingFailed", { requestId, type: "Document", errorText });
    return { watch, fails };
  };

  it("does not stop the page from being replaced when the document of a frame fails", () => {
    const { watch, fails } = leavingTab();
    fails("of child");
    expect(watch.isLeaving()).to.equal(true);
    expect(watch.navigationError()).to.equal(undefined);
    expect(watch.pending()).to.equal(1);
  });

  it("keeps the page when the document that was to replace it fails", () => {
    const { watch, fails } = leavingTab();
    fails("of main");
    expect(watch.isLeaving()).to.equal(false);
    expect(watch.navigationError()).to.equal(errorText);
  });

  it("waits for the script of a worker until the worker begins, and then for what it asks for", () => {
    const session = new EventEmitter();
    const watch = watchTab(session as unknown as CDPSession, "main");
    const [url, type] = ["https://a/worker.js", "Script"];
    session.emit("Network.requestWillBeSent", {
      requestId: "1",
      loaderId: "",
      frameId: "main",
      type,
      request: { url },
    });
    expect([watch.pending(), watch.underWay().size]).to.deep.equal([1, 1]);
    session.emit("Target.attachedToTarget", { targetInfo: { type: "worker", url } });
    expect([watch.pending(), watch.underWay().size]).to.deep.equal([0, 0]);
    const worker = Object.assign(new EventEmitter(), { send: async () => {} });
    session.emit("sessionattached", worker);
    const asked = { requestId: "2", loaderId: "", type: "Fetch", request: { url: "https://a/data" } };
    worker.emit("Network.requestWillBeSent", asked);
    expect([watch.pending(), watch.underWay().size]).to.deep.equal([1, 1]);
    worker.emit("Network.loadingFinished", { requestId: "2" });
    expect(watch.pending()).to.equal(0);
  });
});
