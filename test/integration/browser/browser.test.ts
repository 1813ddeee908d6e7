import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { findChromium } from "../../../src/browser/find.ts";
import type { Tab } from "../../../src/browser/tab.ts";
import { unpackChromium } from "../../../src/browser/unpack.ts";
import { environmentFault } from "../../../src/database/connection/errors.ts";
import { BrokenEnvironmentError, UsageError } from "../../../src/domain/errors.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { browserGroup, browserPids } from "../../support/browsers.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

/** Opens files until there are no more free descriptors. */
function takeFiles(taken: number[]): void {
  for (;;) {
    try {
      taken.push(openSync("/dev/null", "r"));
    } catch {
      return;
    }
  }
}

describe("the browser", () => {
  let browser: Browser;
  const sites: Site[] = [];

  const open = (options: { visitsPerProcess?: number; cidrs?: string[]; script?: string } = {}): Promise<Browser> =>
    openBrowser({
      chromePath: undefined,
      policy: addressPolicy(options.cidrs ?? ["127.0.0.1/32"]),
      log: createLogger("error", {}),
      device: defaultDevice,
      ...(options.visitsPerProcess ? { visitsPerProcess: options.visitsPerProcess } : {}),
      ...(options.script ? { script: options.script } : {}),
    });
  const serve = async (routes: Routes): Promise<Site> => {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  };
  const withTab = <Result>(visit: (tab: Tab) => Promise<Result>, on = browser): Promise<Result> =>
    on.withTab({ signal: new AbortController().signal, timeLimitMs: 100_000 }, visit);
  const show = (url: string, on = browser): Promise<unknown> =>
    withTab((tab) => tab.load(url, { beforeRequest: async () => {}, checkResponse: () => {} }), on);

  before(async () => {
    browser = await open();
  });
  after(async () => {
    await browser.close();
    await Promise.all(sites.map((site) => site.close()));
    expect(browserPids()).to.deep.equal([]);
    const own = (await readdir(tmpdir())).filter((name) => name.startsWith(`site-validator-browser-${process.pid}-`));
    expect(own).to.deep.equal([]);
  });

  it("blames this machine, and not the page, when it has run out of file descriptors", async () => {
    const site = await serve({ "/": { body: "<title>There</title>" } });
    const limit = (soft: number) => execFileSync("prlimit", ["--pid", `${process.pid}`, `--nofile=${soft}:`]);
    const before = Number(/Max open files +(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
    limit(readdirSync("/proc/self/fd").length + 50);
    const taken: number[] = [];
    try {
      for (const free of [0, 1]) {
        takeFiles(taken);
        for (const fd of taken.splice(0, free)) closeSync(fd);
        const error = await show(site.url).catch((reason: unknown) => reason);
        expect(environmentFault(error), `with ${free} free: ${error}`).to.be.instanceOf(BrokenEnvironmentError);
      }
    } finally {
      for (const fd of taken) closeSync(fd);
      limit(before);
    }
    await show(site.url);
  });

  it("uses the Chromium of CHROME_PATH, or fails with a clear error", async () => {
    const { path: found } = await findChromium(undefined);
    expect(await findChromium(found)).to.include({ path: found });
    const error = await findChromium("/no/such/chrome").catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UsageError);
    expect(String(error)).to.contain('CHROME_PATH is "/no/such/chrome"');
  });

  it("reports at once when it cannot be started", async () => {
    const before = browserPids();
    const opening = openBrowser({
      chromePath: "/bin/false",
      policy: addressPolicy([]),
      log: createLogger("error", {}),
      device: defaultDevice,
    });
    const error = await opening.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UsageError);
    expect(String(error)).to.contain("Chromium (/bin/false) ended while it was starting");
    expect(browserPids()).to.deep.equal(before);
  });

  it("is unpacked only once by several processes, and never into a folder that others can write", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "unpack-"));
    const refusal = async (at: string): Promise<string> => String(await unpackChromium([at]).catch((error) => error));
    try {
      const own = path.join(folder, "own");
      const found = await Promise.all([unpackChromium([own]), unpackChromium([own])]);
      expect(found[0]).to.deep.equal(found[1]);
      expect(await readdir(own)).to.have.length(1);
      expect((await stat(own)).mode & 0o022).to.equal(0);
      await chmod(own, 0o777);
      expect(await refusal(own)).to.contain("only its owner");
      await chmod(own, 0o700);
      await symlink(own, path.join(folder, "link"));
      expect(await refusal(path.join(folder, "link"))).to.contain("only its owner");
      if (process.getuid?.() === 0) {
        await chown(own, 65_534, 65_534);
        expect(await refusal(own)).to.contain("only its owner");
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("gets nothing of our environment, and does not run as root", async () => {
    process.env.A_SECRET_OF_OURS = "secret";
    const other = await open();
    try {
      const site = await serve({ "/": "<p>" });
      await show(site.url, other);
      for (const pid of browserPids()) {
        const environment = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
        const names = environment.map((entry) => entry.split("=")[0]);
        expect(names).to.not.include.members(["A_SECRET_OF_OURS"]);
        expect([
          "PATH",
          "HOME",
          "TMPDIR",
          "XDG_CACHE_HOME",
          "FONTCONFIG_FILE",
          "LD_LIBRARY_PATH",
          "",
        ]).to.include.members(names);
        expect(await readFile(`/proc/${pid}/status`, "utf8")).to.not.match(/^Uid:\s+0\b/m);
      }
    } finally {
      delete process.env.A_SECRET_OF_OURS;
      await other.close();
    }
  });

  it("ends with the process that started it, even if that is killed during an endless script", async () => {
    const site = await serve({
      "/": "<script>fetch('/running').then(() => { while (true); })</script>",
      "/running": "",
    });
    const program = fileURLToPath(new URL("../../support/programs/hold-browser.ts", import.meta.url));
    const holder = spawn(process.execPath, [program, site.url], { stdio: "inherit" });
    await eventually(() => site.requests.some((request) => request.path === "/running"));
    const [pid = 0] = browserPids(holder.pid);
    expect(browserGroup(pid)).to.have.length.above(1);
    holder.kill("SIGKILL");
    await eventually(() => browserGroup(pid).length === 0);
  });

  it("runs the script of its contexts once in every document, also in one without scripts of its own", async () => {
    const site = await serve({ "/plain": "<p>Text", "/scripted": "<script>document.title = 'x'</script>" });
    const on = await open({ script: "globalThis.runs = (globalThis.runs ?? 0) + 1;" });
    try {
      for (const page of ["/plain", "/scripted", "/plain"]) {
        const runs = await withTab(async (tab) => {
          await tab.load(new URL(page, site.url).href, { beforeRequest: async () => {}, checkResponse: () => {} });
          await tab.runContextScript();
          return tab.call(await tab.createWorld(tab.mainFrameId), () => (globalThis as { runs?: number }).runs);
        }, on);
        expect(runs, page).to.equal(1);
      }
    } finally {
      await on.close();
    }
  });

  it("opens no windows and keeps no downloads", async () => {
    const site = await serve({
      "/": `<!DOCTYPE html><script>for (let i = 0; i < 5; i++) open("/popup"); location = "/file"; onload = () => fetch("/loaded")</script><a href="/popup" target="_blank" id="a"></a><script>a.click()</script>`,
      "/popup": "<p>",
      "/file": { headers: { "content-disposition": "attachment; filename=file" }, body: "data" },
    });
    await show(site.url);
    expect(site.requests.map((request) => request.path)).to.not.include("/popup");
  });

  it("reuses the renderer process after a visit, but not that of a page that hangs", async () => {
    const site = await serve({ "/": "<p>", "/hang": "<script>while (true);</script>" });
    const renderers = (): number[] =>
      browserPids().flatMap((pid) =>
        browserGroup(pid).flatMap((seen) => (seen.command.includes("--type=renderer") ? seen.pid : [])),
      );
    await show(site.url);
    const kept = renderers();
    await show(`${site.url}?again`);
    expect(renderers()).to.deep.equal(kept);
    const limits = { signal: new AbortController().signal, timeLimitMs: 500 };
    const hanging = browser.withTab(limits, (tab) =>
      tab.load(`${site.origin}/hang`, { beforeRequest: async () => {}, checkResponse: () => {} }),
    );
    expect(await hanging.catch((error: unknown) => error)).to.have.property("code", "timeout");
    await eventually(() => !renderers().some((pid) => kept.includes(pid)));
  });

  it("fails no page that is innocent: not when two browsers are killed one after the other", async () => {
    let visits = 0;
    const site = await serve({
      "/": (_request, response) => {
        visits += 1;
        if (visits <= 2) for (const pid of browserPids()) process.kill(-pid, "SIGKILL");
        else response.writeHead(200, { "content-type": "text/html" }).end("<p>");
      },
    });
    await show(site.url);
    expect(visits).to.equal(3);
  });

  it("leaves no visit behind that waits for a page of a browser that has ended", async () => {
    const site = await serve({
      "/": (_request, response) => {
        // The page is never parsed: there is no more of it.
        response.writeHead(200, { "content-type": "text/html" }).write("<p>".padEnd(4_096));
      },
    });
    const loads: Promise<unknown>[] = [];
    const checkResponse = () => {
      for (const pid of browserPids()) process.kill(-pid, "SIGKILL");
    };
    await withTab(async (tab) => {
      if (loads.length > 0) return;
      const load = tab.load(site.url, { beforeRequest: async () => {}, checkResponse });
      loads.push(load.catch((error: unknown) => error));
      await load;
    });
    expect(await loads[0]).to.be.instanceOf(Error);
  });

  it("fails a page that ends its browser whenever it is visited alone, and no page beside it", async () => {
    const site = await serve({
      "/guilty": () => {
        for (const pid of browserPids()) process.kill(-pid, "SIGKILL");
      },
      "/": { body: "<p>", delayMs: 50 },
    });
    const guilty = show(`${site.origin}/guilty`).catch((error: unknown) => error);
    const innocent = Array.from({ length: 8 }, (_, index) => show(`${site.url}?${index}`));
    expect(await guilty).to.have.property("code", "browser_crashed");
    await Promise.all(innocent);
    expect(site.requests.filter(({ path }) => path === "/guilty")).to.have.length(3);
  });

  it("is replaced after a number of pages, and finishes the open ones first", async () => {
    const before = browserPids();
    const of = (): number[] => browserPids().filter((pid) => !before.includes(pid));
    const other = await open({ visitsPerProcess: 2 });
    try {
      const waiting = Promise.withResolvers<void>();
      const site = await serve({
        "/": "<p>",
        "/slow": async (_request, response) => {
          await waiting.promise;
          response.end("<p>");
        },
      });
      const slow = show(`${site.origin}/slow`, other);
      await eventually(() => site.requests.length === 1);
      const [first] = of();
      await show(site.url, other);
      await show(site.url, other);
      expect(of()).to.have.length(2);
      waiting.resolve();
      await slow;
      await eventually(() => !of().includes(first ?? 0));
      expect(of()).to.have.length(1);
    } finally {
      await other.close();
    }
  });
});
