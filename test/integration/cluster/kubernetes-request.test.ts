import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect } from "chai";
import { createApiServer } from "../../../src/cluster/kubernetes/request.ts";
import { ClusterError } from "../../../src/cluster/port.ts";
import { type Site, serveSite } from "../../support/site.ts";

const apiServer = (server: string) =>
  createApiServer({ server, credentials: async () => ({ headers: {}, dispatcher: undefined }) });
const errorOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

describe("a request to the API server", () => {
  let site: Site | undefined;

  afterEach(async () => {
    await site?.close();
    site = undefined;
  });

  it("ends when it is aborted while its connection is being made", async () => {
    const connections: Socket[] = [];
    // It accepts, and never responds to the TLS handshake.
    const silent = createServer((socket) => connections.push(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    try {
      const abort = new AbortController();
      const { port } = silent.address() as AddressInfo;
      const call = apiServer(`https://127.0.0.1:${port}`).request("GET", "/version", { signal: abort.signal });
      await once(silent, "connection");
      abort.abort(new Error("the deadline has passed"));
      const error = await errorOf(call);
      expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "Unavailable");
      // Any other message is that of undici's own limit, seconds later.
      expect(String(error)).to.include("the deadline has passed");
    } finally {
      for (const socket of connections) socket.destroy();
      silent.close();
    }
  });

  it("is not sent when it was aborted before", async () => {
    let requests = 0;
    site = await serveSite({
      "*"(_request, response) {
        requests += 1;
        response.end("{}");
      },
    });
    const signal = AbortSignal.abort(new Error("the deadline has passed"));
    const error = await errorOf(apiServer(site.origin).request("GET", "/version", { signal }));
    expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "Unavailable");
    expect(await apiServer(site.origin).request("GET", "/version")).to.deep.equal({});
    expect(requests).to.equal(1);
  });

  it("tells the Date of each response, also of one that is an error", async () => {
    const dates: string[] = [];
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    site = await serveSite({
      "*"(request, response) {
        response.writeHead(request.url === "/version" ? 200 : 404, { date }).end("{}");
      },
    });
    const server = createApiServer({
      server: site.origin,
      credentials: async () => ({ headers: {}, dispatcher: undefined }),
      onDate: (found) => dates.push(found),
    });
    await server.request("GET", "/version");
    await errorOf(server.request("GET", "/missing"));
    expect(dates).to.deep.equal([date, date]);
  });

  it("says that its response was interrupted", async () => {
    site = await serveSite({
      "*"(_request, response) {
        response.writeHead(200, { "content-length": "100" });
        response.write('{"kind":', () => response.destroy());
      },
    });
    const error = await errorOf(apiServer(site.origin).request("GET", "/version"));
    expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "Unavailable");
    expect(String(error)).to.include("The response to GET /version was interrupted");
  });

  it("says that the API server has not got as far as the version that was asked for", async () => {
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
    const status = { kind: "Status", code: 504, reason: "Timeout", message: "Timeout", details: { causes } };
    site = await serveSite({
      "*"(_request, response) {
        response.writeHead(504).end(JSON.stringify(status));
      },
    });
    const error = await errorOf(apiServer(site.origin).request("GET", "/version"));
    expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "ResourceVersionTooLarge");
  });
});
