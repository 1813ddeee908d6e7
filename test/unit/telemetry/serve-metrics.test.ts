import { expect } from "chai";
import { request } from "undici";
import { createMetrics, serveMetrics } from "../../../src/telemetry/metrics.ts";

describe("Metrics of a program that serves nothing else", () => {
  it("are served with its health, and say whether it is ready", async () => {
    let isAway = true;
    const ready = async () => {
      if (isAway) throw new Error("away");
    };
    const served = await serveMetrics(createMetrics({ process: true }), { host: "127.0.0.1", port: 0, ready });
    const get = async (path: string, host?: string) => {
      const reply = await request(served.url + path, { headers: host ? { host } : {} });
      return { status: reply.statusCode, text: await reply.body.text() };
    };
    try {
      const statuses = async () =>
        Promise.all(
          ["/healthz", "/readyz", "/metrics", "/", "/healthz/x"].map(async (path) => (await get(path)).status),
        );
      expect(await statuses()).to.deep.equal([200, 503, 200, 404, 404]);
      isAway = false;
      expect(await statuses()).to.deep.equal([200, 200, 200, 404, 404]);
      expect((await get("/metrics")).text).to.match(/^# HELP [\s\S]*process_cpu/);
      // A page whose name leads to this machine for a moment.
      expect(await get("/metrics", "evil.example")).to.deep.equal({ status: 400, text: "" });
      expect((await get("/healthz", "localhost")).status).to.equal(200);
    } finally {
      await served.close();
    }
  });

  it("are given to every host that asks where everybody is served", async () => {
    const served = await serveMetrics(createMetrics({ process: true }), { host: "0.0.0.0", port: 0 });
    const reply = await request(`${served.url.replace("0.0.0.0", "127.0.0.1")}/readyz`, {
      headers: { host: "pod.cluster" },
    });
    await reply.body.dump();
    await served.close();
    expect(reply.statusCode).to.equal(200);
  });
});
