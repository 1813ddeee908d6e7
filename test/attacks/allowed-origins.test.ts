import { expect } from "chai";
import { openBrowser } from "../../src/browser/browser.ts";
import { defaultDevice } from "../../src/browser/devices.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { reportPolicy } from "../../src/net/report-policy.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { type Site, serveSite } from "../support/site.ts";
import { limitOf } from "../support/wait.ts";

describe("ALLOWED_ORIGINS", function () {
  this.timeout(limitOf(30));
  let allowed: Site;
  let other: Site;

  before(async () => {
    other = await serveSite({ "/": "<title>Other</title>", "/x.png": "", "/x.js": "", "/frame": "<p>frame" });
    allowed = await serveSite({
      "/": `<title>Own</title><img src="${other.origin}/x.png"><script src="${other.origin}/x.js"></script><iframe src="${other.origin}/frame"></iframe><script>fetch("${other.origin}/", { mode: "no-cors" })</script>`,
      "/away": { status: 302, headers: { location: `${other.origin}/` } },
    });
  });
  after(async () => {
    await allowed.close();
    await other.close();
  });
  beforeEach(() => {
    other.requests.length = 0;
  });

  const policy = () =>
    reportPolicy(`${allowed.origin}/`, {
      allowedPrivateCidrs: [],
      deniedCidrs: [],
      allowLocalhost: true,
      allowedOrigins: [allowed.origin],
    });

  it("keeps the crawler from another port of the same host, also behind a redirect", async () => {
    const client = createGuardedFetch(await policy());
    const get = (url: string) =>
      client.get(url, { signal: AbortSignal.timeout(10_000), beforeRequest: async () => {}, maxBytes: () => 1_000 });
    const codeOf = (url: string) =>
      get(url).then(
        ({ status }) => status,
        (error: Error) => error.message,
      );
    try {
      expect(await codeOf(`${allowed.origin}/`)).to.equal(200);
      for (const url of [`${other.origin}/`, `${allowed.origin}/away`])
        expect(await codeOf(url)).to.match(/must not be visited: ALLOWED_ORIGINS does not have it/);
    } finally {
      await client.close();
    }
    expect(other.requests).to.deep.equal([]);
  });

  it("keeps browsers from what a page loads, and from a redirect", async () => {
    const log = createLogger("error", {});
    const browser = await openBrowser({ chromePath: undefined, policy: await policy(), log, device: defaultDevice });
    try {
      for (const path of ["/", "/away"]) {
        const visit = browser.withTab({ signal: AbortSignal.timeout(20_000), timeLimitMs: 20_000 }, async (tab) => {
          await tab.load(`${allowed.origin}${path}`, { beforeRequest: async () => {}, checkResponse: () => {} });
          return tab.html(10_000);
        });
        const outcome = await visit.catch((error: Error) => error.message);
        expect(outcome).to.match(path === "/" ? /<title>Own/ : /ALLOWED_ORIGINS does not have it/);
      }
    } finally {
      await browser.close();
    }
    expect(other.requests).to.deep.equal([]);
  });
});
