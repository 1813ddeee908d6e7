import { expect } from "chai";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { MAX_VISIT_BYTES, MAX_VISIT_REQUESTS } from "../../../src/domain/scope/visit-budget.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { createAuthority } from "../../support/certificates.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

describe("a page that floods another host", function () {
  this.timeout(limitOf(60));
  let browser: Browser;
  const sites: Site[] = [];
  let bytes = 0;

  before(async () => {
    const tls = { authorities: [], clientCertificates: new Map(), insecureHosts: new Set(["localhost"]) };
    const policy = { ...addressPolicy(["127.0.0.0/8"]), tls };
    browser = await openBrowser({
      chromePath: undefined,
      log: createLogger("error", {}),
      device: defaultDevice,
      policy,
    });
  });
  after(() => browser.close());
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
    bytes = 0;
  });

  const serveVictim = async (secure: boolean): Promise<Site> => {
    const victim = await serveSite(
      {
        "*": async (request, response) => {
          try {
            for await (const chunk of request) bytes += (chunk as Buffer).length;
          } catch {
            // It was cut off.
          }
          response.writeHead(200, { "access-control-allow-origin": "*" }).end();
        },
      },
      "127.0.0.1",
      secure ? createAuthority().issue(["localhost"]) : undefined,
    );
    sites.push(victim);
    return victim;
  };
  const flood = async (victim: Site, init: string, times: number): Promise<string[]> => {
    const there = victim.origin.replace("127.0.0.1", "localhost");
    const page = await serveSite({
      "/": `<script>onload = async () => { for (let at = 0; at < ${times}; at += 20) await Promise.allSettled(Array.from({ length: 20 }, (_, one) => fetch("${there}/" + (at + one), ${init}))); document.body.append("done") }</script>`,
    });
    sites.push(page);
    return browser.withTab({ signal: new AbortController().signal, timeLimitMs: limitOf(40) }, async (tab) => {
      await tab.load(page.url, { beforeRequest: async () => {}, checkResponse: () => {} });
      while ((await tab.find({ text: "done" })) !== undefined) await new Promise((done) => setTimeout(done, 50));
      return tab.refused();
    });
  };

  for (const secure of [false, true]) {
    it(`by POST is stopped after so many bytes or requests, and it is said (${secure ? "https" : "http"})`, async () => {
      const victim = await serveVictim(secure);
      const refused = await flood(victim, `{ method: "POST", mode: "no-cors", body: "x".repeat(50000) }`, 200);
      expect(refused).to.include("More than a visit may send to localhost");
      expect(bytes).to.be.within(100_000, MAX_VISIT_BYTES + 50_000);
    });

    it(`by GET is stopped after so many requests (${secure ? "https" : "http"})`, async () => {
      const victim = await serveVictim(secure);
      const refused = await flood(victim, `{ mode: "no-cors", cache: "no-store" }`, MAX_VISIT_REQUESTS + 400);
      expect(refused).to.include("More than a visit may send to localhost");
      expect(victim.requests.length).to.be.within(MAX_VISIT_REQUESTS - 200, MAX_VISIT_REQUESTS + 100);
    });
  }

  it("leaves the next visit its own budget, and what is usual alone", async () => {
    const victim = await serveVictim(true);
    expect(await flood(victim, `{ mode: "no-cors" }`, 40)).to.deep.equal([]);
    expect(victim.requests).to.have.length(40);
  });
});
