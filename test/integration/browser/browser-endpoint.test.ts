import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { type BrowserEndpoint, serveBrowsers } from "../../../src/browser/endpoint.ts";
import { findChromium } from "../../../src/browser/find.ts";
import { startRemoteChromium } from "../../../src/browser/remote.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { browserPids } from "../../support/browsers.ts";
import { testLog as log } from "../../support/controller.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

/** As in a pod: one container serves the browser, and the checker's container has only the socket. */
describe("a browser in another container", () => {
  let folder: string;
  let socket: string;
  let endpoint: BrowserEndpoint | undefined;
  let browser: Browser | undefined;
  let site: Site;

  const greedy = "<script>const all = []; for (;;) all.push(new Uint8Array(64e6).fill(1))</script>";

  before(async () => {
    site = await serveSite({
      "/": "<!DOCTYPE html><title>Page</title><p>Text",
      "/other": "<!DOCTYPE html><p>Other",
      "/greedy": greedy,
    });
  });
  after(() => site.close());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "browser-endpoint-"));
    socket = path.join(folder, "socket");
  });
  afterEach(async () => {
    await browser?.close();
    await endpoint?.close();
    browser = undefined;
    endpoint = undefined;
    await rm(folder, { recursive: true });
    expect(browserPids()).to.deep.equal([]);
  });

  const serve = async () => serveBrowsers({ chromium: await findChromium(undefined), socket, log });
  const open = () =>
    openBrowser({
      chromePath: "/no/such/chrome",
      browserSocket: socket,
      policy: addressPolicy(["127.0.0.1/32"]),
      log,
      device: defaultDevice,
    });
  async function titleOf(at: string): Promise<string> {
    if (!browser) throw new Error("There is no browser.");
    return browser.withTab({ signal: new AbortController().signal, timeLimitMs: 100_000 }, async (tab) => {
      await tab.load(site.origin + at, { beforeRequest: async () => {}, checkResponse: () => {} });
      return at;
    });
  }

  /** An endpoint whose container ends each time it has accepted a connection. It stops after `count` connections. */
  async function closeConnections(count: number): Promise<{ close(): void; closed: Promise<void> }> {
    await rm(socket, { force: true });
    let left = count;
    const server = createServer((connection) => {
      connection.destroy();
      left -= 1;
      if (left === 0) server.close();
    });
    const closed = new Promise<void>((resolve) => server.once("close", () => resolve()));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    return { close: () => server.close(), closed };
  }

  it("shows pages, through the checker's proxy, and ends with the checker's connection", async () => {
    endpoint = await serve();
    browser = await open();
    expect(await titleOf("/")).to.equal("/");
    expect(await titleOf("/other")).to.equal("/other");
    expect(browserPids()).to.have.length(1);
    await browser.close();
    browser = undefined;
    await eventually(async () => browserPids().length === 0);
  });

  it("may start after the checker, and may restart during the checks", async () => {
    const opening = open();
    endpoint = await serve();
    browser = await opening;
    await titleOf("/");
    // Like a container that ran out of memory: all its processes end, and a new one replaces it.
    await endpoint.close();
    endpoint = await serve();
    await titleOf("/other");
  });

  it("is replaced when only the browser ends", async () => {
    endpoint = await serve();
    browser = await open();
    await titleOf("/");
    for (const pid of browserPids()) process.kill(pid, "SIGKILL");
    await titleOf("/other");
  });

  it("fails no page when it cannot be reached: the checker releases its work", async () => {
    const wish = { proxyPort: 1, sandbox: true };
    const error = await startRemoteChromium(socket, wish, 200).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(BrokenEnvironmentError);
    expect((error as Error).message)
      .to.contain(socket)
      .and.to.contain("BROWSER_SOCKET");
  });

  it("that ends while it starts is the environment's fault, not the configuration's: another pod tries again", async () => {
    const server = await closeConnections(Number.POSITIVE_INFINITY);
    const error = await open().catch((reason: unknown) => reason);
    server.close();
    expect(error).to.be.instanceOf(BrokenEnvironmentError);
    expect((error as Error).message).to.contain("ended while it was starting");
  });

  it("says why it ended to a client that writes before it has read", async () => {
    const chromium = path.join(folder, "chromium");
    await writeFile(chromium, "#!/bin/sh\necho No usable sandbox >&2\nkill -ABRT $$\n");
    await chmod(chromium, 0o755);
    const server = fork(path.join(import.meta.dirname, "../../support/programs/browser-endpoint.ts"), [
      chromium,
      socket,
    ]);
    try {
      const remote = await startRemoteChromium(socket, { proxyPort: 1, sandbox: true }, 300_000);
      // Like a client that is still loading its library: it reads nothing until the browser has ended.
      const pause = new Int32Array(new SharedArrayBuffer(4));
      while (!existsSync(`${socket}.ended`)) Atomics.wait(pause, 0, 0, 10);
      remote.transport.send('{"id":1,"method":"Browser.getVersion"}');
      await remote.ended;
      expect(remote.recentStderr()).to.equal("No usable sandbox");
      // A client that begins to listen now hears of the end, too.
      await new Promise<void>((resolve) => {
        remote.transport.onclose = resolve;
        remote.transport.send('{"id":2,"method":"Browser.getVersion"}');
      });
    } finally {
      server.kill();
    }
  });

  it("fails no page when a replacement ends while it starts", async () => {
    endpoint = await serve();
    browser = await open();
    await endpoint.close();
    const server = await closeConnections(2);
    const visit = titleOf("/other");
    await server.closed;
    endpoint = await serve();
    expect(await visit).to.equal("/other");
  });

  it("runs without its sandbox where its container forbids one", async () => {
    const chromium = await findChromium(undefined);
    const wrapper = path.join(folder, "chromium");
    // What Chromium does where it may not make namespaces.
    const refusal = "[1:1:ERROR:zygote_host_impl_linux.cc:130] No usable sandbox!";
    const script = `#!/bin/sh
      case "$*" in *--no-sandbox*) exec '${chromium.path}' "$@" ;; esac
      # It may fail requests before it says why, and ends.
      printf '{"id":1,"error":{"code":-32000,"message":"Not now"}}\\000' >&4
      sleep 0.3; echo '${refusal}' >&2; exit 1`;
    await writeFile(wrapper, script);
    for (const file of [folder, wrapper]) await chmod(file, 0o755);
    endpoint = await serveBrowsers({ chromium: { ...chromium, path: wrapper }, socket, log });
    browser = await open();
    expect(await titleOf("/")).to.equal("/");
  });

  it("says that a page was killed for its memory, and stays usable", async () => {
    endpoint = await serve();
    browser = await open();
    const error = await titleOf("/greedy").catch((reason: unknown) => reason);
    expect(error).to.have.property("code", "too_much_memory");
    expect(String(error)).to.match(/used [\d,]+ MB of memory/);
    expect(await titleOf("/")).to.equal("/");
  });

  it("rejects requests with anything other than a proxy port and a sandbox setting", async () => {
    endpoint = await serve();
    for (const text of ["no JSON", "{}", '{"proxyPort":"1 --no-sandbox","sandbox":true}', '{"proxyPort":80}', "null"]) {
      const client = connect(socket);
      const closed = new Promise((resolve) => client.once("close", resolve));
      client.resume().on("error", () => {});
      client.write(`${text}\0`);
      await closed;
    }
    expect(browserPids()).to.deep.equal([]);
  });

  it("accepts only users of the folder's group, and gets nothing of the environment", async () => {
    endpoint = await serve();
    browser = await open();
    expect((await stat(socket)).mode & 0o777).to.equal(0o660);
    const [pid] = browserPids();
    const environment = await readFile(`/proc/${pid}/environ`, "utf8");
    const names = environment.split("\0").flatMap((entry) => entry.split("=")[0] || []);
    expect(names).to.include.members(["HOME", "PATH"]);
    expect(names).to.not.include.members(["DATABASE_URL"]);
    expect(names.length).to.be.lessThan(10);
    expect(await readdir(folder)).to.deep.equal(["socket"]);
  });
});
