import { expect } from "chai";
import { reportEvents } from "../../../src/controller/report/events.ts";
import type { Condition, ReportStatus } from "../../../src/schema/resources.ts";

const condition = (type: string, status: "True" | "False" | "Unknown", reason: string): Condition => ({
  ...{
    type,
    status,
    reason,
    message: `${reason}, in words.`,
    lastTransitionTime: "2026-01-01T00:00:00Z",
    observedGeneration: 1,
  },
});
const status = (more: Partial<ReportStatus>, ...conditions: Condition[]): ReportStatus => ({
  phase: "Crawling",
  startTime: "2026-01-01T00:00:00Z",
  ...more,
  conditions,
});
const told = (before: ReportStatus | undefined, after: ReportStatus): string[] =>
  reportEvents(before, after).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

describe("What kubectl describe tells of a report", () => {
  const running = status({});
  const healthy = condition("PodsHealthy", "True", "Healthy");
  const sick = condition("PodsHealthy", "False", "ImagePullFailed");

  it("is that it waits, and starts, once each", () => {
    const waits = status(
      { phase: "Pending", startTime: undefined },
      condition("Crawled", "Unknown", "WaitingForCapacity"),
    );
    expect(told(undefined, waits)).to.deep.equal(["Normal WaitingForCapacity: WaitingForCapacity, in words."]);
    expect(told(waits, waits)).to.deep.equal([]);
    expect(told(waits, running)).to.deep.equal(["Normal Started: The site is being crawled and checked."]);
    expect(told(running, running)).to.deep.equal([]);
  });

  it("is what keeps its pods from working, and that they work again", () => {
    const [ill, well] = [status({}, sick), status({}, healthy)];
    expect(told(running, well)).to.deep.equal([]);
    expect(told(well, ill)).to.deep.equal(["Warning ImagePullFailed: ImagePullFailed, in words."]);
    expect(told(ill, ill)).to.deep.equal([]);
    expect(told(ill, status({}, condition("PodsHealthy", "False", "OutOfMemory")))).to.have.length(1);
    expect(told(ill, well)).to.deep.equal(["Normal PodsHealthy: Healthy, in words."]);
    expect(told(well, running)).to.deep.equal([]);
  });

  it("is what was given up, unless the report failed by it", () => {
    const given = status({ stopReason: "Deadline" });
    expect(told(running, given)).to.deep.equal([
      "Warning Deadline: Part of the report's work was given up: see its conditions and the controller's log.",
    ]);
    expect(told(given, given)).to.deep.equal([]);
    const failed = status({ stopReason: "Deadline", phase: "Failed" });
    expect(told(running, failed)).to.deep.equal(["Warning Failed: The report failed."]);
  });

  it("is its result, or why it has none", () => {
    const ended = (counts: Partial<ReportStatus>) => told(running, status({ phase: "Complete", ...counts }));
    expect(ended({ pages: 1, errors: 2, warnings: 0 })).to.deep.equal([
      "Normal Completed: 1 page: 2 errors, 0 warnings.",
    ]);
    expect(ended({})).to.deep.equal(["Normal Completed: 0 pages: 0 errors, 0 warnings."]);
    const failed = (reason: string) => status({ phase: "Failed" }, condition("Failed", "True", reason));
    expect(told(running, failed("NoPages"))).to.deep.equal(["Warning Failed: NoPages: NoPages, in words."]);
    expect(told(failed("NoPages"), failed("NoPages"))).to.deep.equal([]);
    expect(told(failed("NoPages"), failed("Other"))).to.have.length(1);
  });

  it("is that it does not meet its limits, also when a muting is taken away after its end", () => {
    const [meets, fails] = [condition("Passed", "True", "GatePassed"), condition("Passed", "False", "GateFailed")];
    const end = { phase: "Complete" } as const;
    expect(told(status(end, meets), status(end, fails))).to.deep.equal(["Warning GateFailed: GateFailed, in words."]);
    expect(told(status(end, fails), status(end, fails))).to.deep.equal([]);
    expect(told(status(end, fails), status(end, meets))).to.deep.equal([]);
  });
});
