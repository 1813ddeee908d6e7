import { expect } from "chai";
import { createMetrics, serveMetrics } from "../../../src/telemetry/metrics.ts";

describe("the metrics of a program", () => {
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
