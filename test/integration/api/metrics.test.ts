import { expect } from "chai";
import { createMetrics, serveMetrics } from "../../../src/telemetry/metrics.ts";

describe("the metrics of a program", () => {
  it("stay within reach when what the program needs is away after it was ready once", async () => {
    let isThere = false;
    const ready = async () => {
      if (!isThere) throw new Error("away");
    };
    const server = await serveMetrics(createMetrics(), { host: "127.0.0.1", port: 0, ready });
    const status = async () => (await fetch(`${server.url}/readyz`)).status;
    try {
      expect(await status()).to.equal(503);
      isThere = true;
      expect(await status()).to.equal(200);
      isThere = false;
      expect(await status()).to.equal(200);
    } finally {
      await server.close();
    }
  });

  it("are served together with those of its process, next to the health endpoints", async () => {
    const metrics = createMetrics({ process: true });
    const server = await serveMetrics(metrics, { host: "127.0.0.1", port: 0 });
    try {
      const answer = await fetch(`${server.url}/metrics`);
      expect(answer.headers.get("content-type")).to.match(/^text\/plain/);
      expect(await answer.text()).to.include("process_cpu_seconds_total");
      expect((await fetch(`${server.url}/healthz`)).status).to.equal(200);
      expect((await fetch(`${server.url}/other`)).status).to.equal(404);
    } finally {
      await server.close();
    }
  });
});
