import { EventEmitter } from "node:events";
import { expect } from "chai";
import type { Response } from "express";
import { createReportSubscriptions } from "../../../src/api/events/subscriptions.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";

describe("The signals of a response", () => {
  const begin = () => {
    const subscriptions = createReportSubscriptions({ log: createLogger("error", {}), metrics: createMetrics() });
    const response = new EventEmitter() as unknown as Response;
    return { subscriptions, response };
  };

  it("listen to it once, however many calls a page makes", () => {
    const { subscriptions, response } = begin();
    const signals = Array.from({ length: 30 }, () => subscriptions.abortSignal(response));
    expect(response.listenerCount("close")).to.equal(1);
    response.emit("close");
    expect(signals.every(({ aborted }) => aborted)).to.equal(true);
  });

  it("abort when the service stops, also those of calls that come later", async () => {
    const { subscriptions, response } = begin();
    const before = subscriptions.abortSignal(response, 60_000);
    expect(before.aborted).to.equal(false);
    await subscriptions.close();
    expect(before.aborted).to.equal(true);
    expect(subscriptions.abortSignal(new EventEmitter() as unknown as Response).aborted).to.equal(true);
  });
});
