import { expect } from "chai";
import type { BrowserRequest } from "../../../src/browser/endpoint.ts";
import { type BrowserSource, launcher } from "../../../src/browser/launch.ts";
import type { ChromiumProcess } from "../../../src/browser/process.ts";
import { createLogger } from "../../../src/telemetry/log.ts";

const log = createLogger("error", {});
log.silent = true;

describe("the browser's sandbox", () => {
  let requests: BrowserRequest[];

  beforeEach(() => {
    requests = [];
  });

  const sourceOf = (start: () => Promise<ChromiumProcess>): BrowserSource => ({
    name: "test",
    remote: false,
    sandbox: true,
    start: (request) => {
      requests.push(request);
      return start();
    },
  });
  const errorOf = (launch: () => Promise<unknown>): Promise<unknown> => launch().catch((reason: unknown) => reason);
  const sandboxes = (): boolean[] => requests.map(({ sandbox }) => sandbox);

  it("stays on when Chromium cannot be spawned", async () => {
    const busy = Object.assign(new Error("spawn EAGAIN"), { code: "EAGAIN" });
    const launch = launcher(
      sourceOf(() => Promise.reject(busy)),
      1,
      log,
    );
    expect(await errorOf(launch)).to.equal(busy);
    expect(await errorOf(launch)).to.equal(busy);
    expect(sandboxes()).to.deep.equal([true, true]);
  });

  it("stays on when Chromium starts too slowly", async () => {
    const launch = launcher(
      sourceOf(async () => silentProcess()),
      1,
      log,
      1,
    );
    expect(String(await errorOf(launch))).to.contain("did not start within");
    expect(sandboxes()).to.deep.equal([true]);
  });

  it("is turned off when Chromium ends while it starts", async () => {
    const launch = launcher(
      sourceOf(async () => {
        const process = silentProcess();
        void process.kill();
        return process;
      }),
      1,
      log,
    );
    expect(String(await errorOf(launch))).to.contain("ended while it was starting");
    expect(sandboxes()).to.deep.equal([true, false]);
  });
});

/** A process that never responds. */
function silentProcess(): ChromiumProcess {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const transport: ChromiumProcess["transport"] = { send: () => {}, close: () => {} };
  return {
    pid: 0,
    transport,
    ended,
    recentStderr: () => "",
    kill: async () => {
      resolve();
      setImmediate(() => transport.onclose?.());
    },
  };
}
