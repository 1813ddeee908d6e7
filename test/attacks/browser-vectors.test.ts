import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { createServer, type Server } from "node:http";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../src/browser/browser.ts";
import { defaultDevice } from "../../src/browser/devices.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { type Routes, serveSite } from "../support/site.ts";
import { eventually } from "../support/wait.ts";
import { type BrowserVector, browserVectors } from "./browser-vectors.ts";

describe("what a page may try in the browser", () => {
  /** Paths that the canary was asked for; other connections have the path "". */
  const hits: string[] = [];
  let canary: Server;
  let datagrams: DatagramSocket;
  let closed: Browser;
  let open: Browser;
  let host = "";

  before(async () => {
    canary = createServer((request, response) => {
      hits.push(request.url ?? "");
      response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/plain" }).end();
    });
    canary.on("upgrade", (request, socket) => {
      hits.push(request.url ?? "");
      socket.destroy();
    });
    canary.on("clientError", (_error, socket) => {
      hits.push("");
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.2", resolve));
    const { port } = canary.address() as { port: number };
    host = `127.0.0.2:${port}`;
    datagrams = createSocket("udp4").on("message", () => hits.push("udp"));
    await new Promise<void>((resolve) => datagrams.bind(port, "127.0.0.2", resolve));
    const settings = { chromePath: undefined, log: createLogger("error", {}), device: defaultDevice };
    closed = await openBrowser({ ...settings, policy: addressPolicy(["127.0.0.1/32"]) });
    open = await openBrowser({ ...settings, policy: addressPolicy(["127.0.0.0/8"]) });
  });
  after(async () => {
    await closed.close();
    await open.close();
    canary.closeAllConnections();
    await new Promise((resolve) => canary.close(resolve));
    datagrams.close();
    const refused = hits.filter((path) => path.startsWith("/closed/"));
    console.log(`    ${browserVectors.length} ways, ${refused.length} canary hits`);
    expect(refused).to.deep.equal([]);
  });

  /** Serves the page of a vector that leads to a path of the canary, and visits it until `until` resolves. */
  const visit = async (browser: Browser, vector: BrowserVector, path: string, until: () => Promise<unknown>) => {
    const fill = (text: string) => text.replaceAll("THERE", `http://${host}${path}`).replaceAll("HOST", host);
    const filled = JSON.parse(fill(JSON.stringify({ headers: {}, routes: {}, ...vector }))) as Required<BrowserVector>;
    const headers = { "content-type": "text/html", ...filled.headers };
    const routes: Routes = { ...filled.routes, "/": { headers, body: `<!DOCTYPE html>${filled.html}` } };
    const site = await serveSite(routes);
    try {
      await browser.withTab({ signal: new AbortController().signal, timeLimitMs: 250_000 }, async (tab) => {
        const loading = tab.load(site.url, { beforeRequest: async () => {}, checkResponse: () => {} });
        // A navigation to the canary fails.
        await loading.catch(() => {});
        await until();
      });
    } finally {
      await site.close();
    }
  };

  for (const [index, vector] of browserVectors.entries())
    it(`${vector.name} reaches no address that is not allowed`, async () => {
      const before = hits.length;
      await visit(closed, vector, `/closed/${index}`, async () => {});
      expect(hits.slice(before)).to.deep.equal([]);
    });

  for (const [index, vector] of browserVectors.entries())
    if (!vector.unused)
      it(`${vector.name} would reach it if it were`, async () => {
        const path = `/open/${index}`;
        await visit(open, vector, path, () => eventually(() => hits.includes(path)));
      });
});
