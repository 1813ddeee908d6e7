import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { withScreenshots } from "../../../src/checker/screenshots.ts";
import type { CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { engine, fakeRunner } from "../../support/fake-runner.ts";
import { readPng } from "../../support/png.ts";
import { type Site, serveSite } from "../../support/site.ts";

describe("the screenshots of HTML checks", () => {
  let site: Site;
  let runner: EngineRunner;
  let requests = 0;

  before(async () => {
    site = await serveSite({
      "/": "<!DOCTYPE html><html lang=en><title>t</title><h1>Here</h1>",
      "/banner": `<!DOCTYPE html><html lang=en><title>t</title><style>body { margin: 0; background: #00ff00 }
        #banner { position: fixed; inset: 0; background: #ff0000; border: 0 }</style>
        <button id=banner onclick="this.remove()">Accept</button>`,
      "/broken": { status: 500, body: "no" },
      "/away": { status: 302, headers: { location: "http://localhost:1/" } },
      "/busy": (_request, response) => {
        requests += 1;
        if (requests === 1) response.writeHead(503, { "retry-after": "0" }).end();
        else response.setHeader("content-type", "text/html").end("<title>t</title>Now");
      },
    });
    const prepare = [
      { url: "/banner", steps: ["#banner", "#gone"].map((selector) => ({ type: "click", selector, timeout: 300 })) },
    ];
    const spec = reportSpec({ startingUrl: site.url, storeScreenshot: true, prepare });
    const html = fakeRunner(
      ({ url }): CheckOutcome =>
        url.endsWith("/failed")
          ? { kind: "html", failure: { code: "engine_error", detail: "It failed." } }
          : { kind: "html", engine, issues: [] },
    );
    runner = await withScreenshots(html, {
      ...{ spec, chromePath: undefined, policy: addressPolicy(["127.0.0.0/8"]), log: createLogger("error", {}) },
      timeLimitMs: 250_000,
    });
  });
  after(async () => {
    await runner?.close();
    await site?.close();
  });

  async function check(path: string) {
    let slots = 0;
    const beforeRequest = async () => {
      slots += 1;
    };
    const task = { url: `${site.origin}${path}`, document: undefined, spec: reportSpec() };
    const outcome = await runner.check(task, { signal: new AbortController().signal, beforeRequest });
    const screenshot = "screenshot" in outcome ? Buffer.from(outcome.screenshot?.png ?? []) : undefined;
    return { outcome, slots, screenshot, isPng: screenshot?.subarray(1, 4).toString() === "PNG" };
  }

  it("are PNG images of the pages, whose requests the rate limit counts", async () => {
    const { outcome, slots, isPng } = await check("/");
    expect(outcome).to.deep.include({ kind: "html", issues: [] });
    expect({ isPng, slots }).to.deep.equal({ isPng: true, slots: 1 });
  });

  it("show a page when it is prepared, and say what could not be done", async () => {
    const { outcome, screenshot = Buffer.of() } = await check("/banner");
    expect(readPng(screenshot).at(10, 10)).to.equal("#00ff00");
    expect(outcome).to.have.property("notices").that.has.length(1);
    expect(outcome).to.have.nested.include({ "notices[0].code": "not_prepared", "notices[0].howMany": 1 });
  });

  it("are tried again after as long as a busy site asks for", async () => {
    expect(await check("/busy")).to.include({ isPng: true, slots: 2 });
  });

  for (const path of ["/broken", "/away", "/nothing"])
    it(`do not fail the check of a page that cannot be loaded: ${path}`, async () => {
      const { outcome } = await check(path);
      expect(outcome).to.deep.equal({ kind: "html", engine, issues: [] });
    });

  it("are not taken of a page whose check failed", async () => {
    const { outcome, slots } = await check("/failed");
    expect(outcome).to.have.property("failure");
    expect(slots).to.equal(0);
  });

  it("end with the checker that is stopped", async () => {
    const stop = new AbortController();
    const stopped = new Error("stopped");
    const task = { url: site.url, document: undefined, spec: reportSpec() };
    const beforeRequest = async () => {
      stop.abort(stopped);
      throw stopped;
    };
    const outcome = await runner.check(task, { signal: stop.signal, beforeRequest }).catch((error: unknown) => error);
    expect(outcome).to.equal(stopped);
  });
});
