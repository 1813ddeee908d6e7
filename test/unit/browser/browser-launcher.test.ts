import { expect } from "chai";
import type { BrowserRequest } from "../../../src/browser/browser-request.ts";
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
      { proxyPort: 1 },
      log,
    );
    expect(await errorOf(launch)).to.equal(busy);
    expect(await errorOf(launch)).to.equal(busy);
    expect(sandboxes()).to.deep.equal([true, true]);
  });

  it("stays on when Chromium starts too slowly", async () => {
    const launch = launcher(
      sourceOf(async () => silentProcess()),
      { proxyPort: 1 },
      log,
      1,
    );
    expect(String(await errorOf(launch))).to.contain("did not start within");
    expect(sandboxes()).to.deep.equal([true]);
  });

  it("stays on when Chromium ends while it starts for another reason, such as a lack of memory", async () => {
    for (const stderr of [
      "",
      "[1:1:ERROR:sandbox_linux.cc(378)] InitializeSandbox() called with multiple threads in process gpu-process.",
      "[9:9:ERROR:zygote_host_impl_linux.cc(273)] Failed to adjust OOM score of renderer: Permission denied (13)",
      "error while loading shared libraries: libnss3.so",
    ]) {
      requests = [];
      const launch = launcher(
        sourceOf(async () => ended(stderr)),
        { proxyPort: 1 },
        log,
      );
      expect(String(await errorOf(launch))).to.contain("ended while it was starting");
      await errorOf(launch);
      expect(sandboxes(), stderr).to.deep.equal([true, true]);
    }
  });

  it("is turned off when Chromium says that it cannot have one", async () => {
    for (const stderr of [
      "[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on Ubuntu 23.10+ or …",
      "Failed to move to new namespace: PID namespaces supported, Network namespace supported, but failed: errno = Operation not permitted",
      "[1:1:1122/055800.1:FATAL:content/browser/zygote_host/zygote_host_impl_linux.cc:206] Check failed: . : Operation not permitted (1)",
      "[1:1:FATAL:credentials.cc(127)] Check failed: . : Permission denied (13)",
    ]) {
      requests = [];
      const launch = launcher(
        sourceOf(async () => ended(stderr)),
        { proxyPort: 1 },
        log,
      );
      await errorOf(launch);
      expect(sandboxes(), stderr).to.deep.equal([true, false]);
    }
  });
});

/** A process that has ended. */
function ended(stderr: string): ChromiumProcess {
  const process = { ...silentProcess(), recentStderr: () => stderr };
  void process.kill();
  return process;
}

/** A process that never responds. */
function silentProcess(): ChromiumProcess {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const transport: ChromiumProcess["transport"] = { send: () => {}, close: () => {} };
  return {
    pid: 0,
    transport,
    ended,
    recentStderr: () => "",
    memoryExcess: () => undefined,
    kill: async () => {
      resolve();
      setImmediate(() => transport.onclose?.());
    },
  };
}
