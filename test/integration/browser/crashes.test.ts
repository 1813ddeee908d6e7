import { expect } from "chai";
import type { ConnectionTransport } from "puppeteer-core";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { openContext } from "../../../src/browser/context.ts";
import { BrowserEndedError } from "../../../src/browser/crash.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { type BrowserSource, browserSource, launcher, type RunningBrowser } from "../../../src/browser/launch.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createPass } from "../../../src/net/proxy-pass.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { browserGroup, browserPids } from "../../support/browsers.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

const log = createLogger("error", {});
log.silent = true;
const settings = { proxyPort: 9, userAgent: undefined, portBoundCookies: false };
const contextOptions = {
  device: defaultDevice,
  script: "globalThis.ours = true;",
  requests: { failureOf: () => undefined, hasReceived: () => true, isAwaiting: () => true },
  pass: { ...createPass(addressPolicy([])), separateSockets: async () => "" },
};
/** Not part of a visit: nothing is rate limited. */
const clock = { untimed: <Result>(work: () => Promise<Result>) => work(), usedMs: () => 0 };

const renderers = (browser: number): number[] =>
  browserGroup(browser).flatMap(({ pid, command }) => (command.includes("--type=renderer") ? [pid] : []));

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
}

/** Calls `onSend` before each command that is sent to the browser. */
function spied(inner: ConnectionTransport, onSend: (method: string) => void): ConnectionTransport {
  const outer: ConnectionTransport = {
    send: (message) => {
      onSend((JSON.parse(message) as { method: string }).method);
      inner.send(message);
    },
    close: () => inner.close(),
  };
  inner.onmessage = (message) => outer.onmessage?.(message);
  inner.onclose = () => outer.onclose?.();
  return outer;
}

describe("a browser whose processes end", function () {
  // Nothing here takes more than a second. Before processes were watched, it hung.
  this.timeout(limitOf(60));
  let source: BrowserSource;
  let onSend: (method: string, pid: number) => void;
  let running: RunningBrowser | undefined;

  before(async () => {
    const own = await browserSource({ chromePath: undefined, log });
    source = {
      ...own,
      start: async (request) => {
        const started = await own.start(request);
        return { ...started, transport: spied(started.transport, (method) => onSend(method, started.pid)) };
      },
    };
  });
  beforeEach(() => {
    onSend = () => {};
  });
  afterEach(async () => {
    await running?.process.kill();
    running = undefined;
    expect(browserPids()).to.deep.equal([]);
  });
  /** The commands of an undisturbed launch and of an undisturbed opening, by their numbers. */
  async function commands(): Promise<{ launching: string[]; opening: string[] }> {
    const sent: string[] = [];
    onSend = (method) => sent.push(method);
    running = await launcher(source, settings, log)();
    const launching = sent.splice(0);
    const context = await openContext(running.connection, running.session, contextOptions);
    await context.begin(clock);
    await running.process.kill();
    return { launching, opening: sent };
  }

  it("does not start, whenever in its start it is killed", async () => {
    const { launching } = await commands();
    for (const [number, method] of launching.entries()) {
      let sent = 0;
      onSend = (_method, pid) => {
        if (sent++ === number) signal([-pid], "SIGKILL");
      };
      const error = await launcher(source, settings, log)().catch((reason: unknown) => reason);
      expect(error, `at ${number} ${method}`).to.be.instanceOf(Error);
      expect(String(error), `at ${number} ${method}`).to.contain("was killed while it was starting");
    }
  });

  it("opens no tab, whenever meanwhile the tab's process is killed, and says so", async () => {
    const { opening } = await commands();
    expect(opening).to.include.members(["Target.createTarget", "Page.enable", "Page.getFrameTree"]);
    for (const [number, method] of opening.entries()) {
      running = await launcher(source, settings, log)();
      const { pid } = running.process;
      let sent = 0;
      let killed = false;
      onSend = () => {
        if (sent++ !== number) return;
        killed = renderers(pid).length > 0;
        signal(renderers(pid), "SIGKILL");
      };
      const { connection, session } = running;
      const open = async (): Promise<unknown> => {
        const context = await openContext(connection, session, contextOptions);
        await Promise.race([context.begin(clock), context.crashed]);
        // The browser answers some commands of a visit itself.
        return killed ? context.crashed : "opened";
      };
      const end = await open().catch((error: unknown) => error);
      if (killed) expect(end, `at ${number} ${method}`).to.be.instanceOf(BrowserEndedError);
      await running.process.kill();
    }
  });

  describe("visits a page", () => {
    let browser: Browser;
    let site: Site;

    before(async () => {
      site = await serveSite({ "/": "<p>A page", "*": "<p>Another page" });
    });
    after(() => site.close());
    beforeEach(async () => {
      browser = await openBrowser({
        ...{ chromePath: undefined, policy: addressPolicy(["127.0.0.1/32"]), log },
        device: defaultDevice,
      });
    });
    afterEach(() => browser.close());

    const visit = (url: string, timeLimitMs: number, onResponse = () => {}): Promise<unknown> =>
      browser.withTab({ signal: new AbortController().signal, timeLimitMs }, (tab) =>
        tab.load(url, { beforeRequest: async () => {}, checkResponse: onResponse }),
      );
    const allRenderers = () => browserPids().flatMap(renderers);

    // A third one, if it is seen late, could be the second that ends while the page is visited alone.
    it("although the first two processes for tabs are killed as soon as they are there", async () => {
      const seen = new Set<number>();
      let isDone = false;
      const visiting = visit(site.url, 100_000).finally(() => {
        isDone = true;
      });
      visiting.catch(() => {});
      await eventually(() => {
        for (const pid of allRenderers())
          if (!seen.has(pid) && seen.size < 2) {
            seen.add(pid);
            signal([pid], "SIGKILL");
          }
        return isDone || seen.size === 2;
      });
      await visiting;
      expect(seen.size).to.be.greaterThan(0);
    });

    for (const [what, pids] of [
      ["the page's process", allRenderers],
      ["the browser", browserPids],
    ] as const)
      it(`and fails it when ${what} is frozen, and visits the next one`, async () => {
        const frozen: number[] = [];
        const freeze = () => {
          frozen.push(...pids());
          signal(frozen, "SIGSTOP");
        };
        const failed = await visit(site.url, 1_000, freeze).catch((error: unknown) => error);
        expect(failed).to.have.property("code", "timeout");
        await visit(`${site.url}next`, 100_000);
        await eventually(() => ![...browserPids(), ...allRenderers()].some((pid) => frozen.includes(pid)));
      });
  });
});
