import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Kysely } from "kysely";
import { connect } from "../../src/database/connection/connect.ts";
import type { Database } from "../../src/database/tables.ts";
import { DATABASE } from "../../src/embedded/database.ts";
import { startPostgres } from "../../src/embedded/postgres.ts";
import { POSTGRES_USER } from "../../src/embedded/server-user.ts";
import { type FaultProxy, faultProxy } from "../support/fault-proxy.ts";
import { openSandbox, type RunningProgram } from "../support/run-program.ts";
import { type Supervised, supervise } from "./supervise.ts";

const TOKEN = "svt_faults-0123456789abcdef0123456789abcdef";
const CLOCK = path.resolve(import.meta.dirname, "clock.ts");

/** By what the command line shows: the sources, or a bundle of them (ADR 0046). */
const roles = {
  service: /(?:index\.[jt]s|run\.js) standalone/,
  crawler: /(?:index\.[jt]s|run\.js) crawler/,
  "HTML checker": /(?:index\.[jt]s|run\.js) checker .*--engine html/,
  "accessibility checker": /(?:index\.[jt]s|run\.js) checker .*--engine a11y/,
  "HTML engine": /-worker\.[jt]s/,
  browser: /chrom(?!.* --type=)/i,
  renderer: /--type=renderer/,
} as const;
export type Role = keyof typeof roles;

type Service = RunningProgram & { url: string };

/** The service with its PostgreSQL, as real processes, with a proxy of faults between them. */
export type World = {
  /** A connection to the database that the proxy does not touch. */
  db: Kysely<Database>;
  proxy: FaultProxy;
  processes(role: Role): number[];
  /** The server's processes: the first is the postmaster. */
  database(): number[];
  /** Sends a request to the API, until it answers and the answer is not 5xx. */
  request(method: string, route: string, attributes?: object): Promise<{ status: number; body: string }>;
  /** Moves the service's clock. */
  setClock(offsetMs: number): void;
  disk: Disk | undefined;
  restarts(): number;
  /** What runs, a line each: its id, its parent's, its state, what it waits for in the kernel, and its command. */
  running(): string[];
  /** Ends the service with SIGTERM, and everything else. @returns its exit code, and what it left behind */
  close(): Promise<{ code: number | string; left: string[] }>;
  /** The last warnings and errors that the service wrote to stderr. */
  lastWords(): string[];
};

/** A small disk for the database: its own file system. */
export type Disk = { fill(): void; free(): void };

/**
 * @param options.disk gives the database a small disk of its own, where the system allows it
 * @param options.ownPostgres whether the service starts its database itself; then nothing goes through the proxy
 */
export async function openWorld(options: { disk: boolean; ownPostgres?: boolean }): Promise<World> {
  const sandbox = await openSandbox();
  const clockFile = path.join(sandbox.folder, "clock");
  writeFileSync(clockFile, "0");
  const disk = options.disk ? mountDisk(path.join(sandbox.folder, "disk")) : undefined;
  const dataDir = path.join(sandbox.folder, options.ownPostgres ? "data" : "disk", "postgresql");
  await mkdir(path.dirname(dataDir), { recursive: true });
  const socketDir = path.join(sandbox.folder, "s");
  const postgres = options.ownPostgres
    ? undefined
    : await supervise(async () => {
        await rm(socketDir, { recursive: true, force: true });
        return startPostgres({ dataDir, socketDir, durable: true });
      });
  const external = postgres && (await faultProxy((await postgres.current()).url));
  let lastWords: string[] = [];
  const service = await supervise(() => startService());
  const url = (await postgres?.current())?.url ?? ownUrl(dataDir, socketDir);
  const proxy = external ?? (await faultProxy(url));
  const db = connect({ url, applicationName: "faults", maxConnections: 2, onIdleError: () => {} });

  async function startService(): Promise<Service> {
    const program = sandbox.start(["standalone"], {
      ...(external && { DATABASE_URL: external.url }),
      DATA_DIR: path.join(sandbox.folder, "data"),
      PORT: "0",
      FIRST_TOKEN: TOKEN,
      SECRET_KEY: "0123456789abcdef0123456789abcdef",
      REQUESTS_PER_MINUTE: "0",
      NODE_OPTIONS: `--import=${CLOCK}`,
      CLOCK_FILE: clockFile,
    });
    program.ended.then(({ stderr }) => {
      const lines = stderr.trim().split("\n");
      lastWords = lines.filter((line) => !/"level":"(info|debug)"/.test(line)).slice(-8);
    });
    let isOver = false;
    const ended = program.ended.then(({ stderr }) => {
      isOver = true;
      throw new Error(stderr);
    });
    ended.catch(() => {});
    const listening = async (): Promise<string> => {
      for (;;) {
        const printed = / listens on (\S+)/.exec(program.stdout())?.[1];
        if (printed) return printed;
        // Who ended before it listened never will: a loop that went on would keep the whole run from its end.
        if (isOver) return ended;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const started = { ...program, url: await Promise.race([listening(), ended]) };
    if (!postgres) linkSocket(dataDir, socketDir);
    return started;
  }

  return {
    db,
    proxy,
    disk,
    processes: (role) => sandbox.processes().flatMap(({ pid, command }) => (roles[role].test(command) ? [pid] : [])),
    database: () => databaseProcesses(dataDir),
    async request(method, route, attributes) {
      for (;;) {
        const { url: base } = await service.current();
        const response = await fetch(`${base}/api/v1${route}`, {
          method,
          headers: {
            Authorization: `Bearer ${TOKEN}`,
            "Content-Type": "application/json",
            "Idempotency-Key": "faults",
          },
          body: attributes ? JSON.stringify({ data: { attributes } }) : null,
          signal: AbortSignal.timeout(60_000),
        }).catch(() => undefined);
        if (response && response.status < 500 && response.status !== 409)
          return { status: response.status, body: await response.text() };
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    },
    setClock: (offsetMs) => writeFileSync(clockFile, String(offsetMs)),
    restarts: () => service.restarts(),
    running: () =>
      execFileSync(
        "ps",
        [
          "-o",
          "pid=,ppid=,stat=,wchan:20=,args=",
          "-p",
          sandbox
            .processes()
            .map(({ pid }) => pid)
            .join(),
        ],
        {
          encoding: "utf8",
        },
      )
        .trimEnd()
        .split("\n")
        .map((line) => line.slice(0, 200)),
    lastWords: () => lastWords,
    close: () => close(service),
  };

  async function close(supervised: Supervised<Service>): Promise<{ code: number | string; left: string[] }> {
    const running = await supervised.release();
    running?.kill("SIGTERM");
    const { code } = (await running?.ended) ?? { code: "did not run" };
    const left = sandbox.processes().filter(({ command }) => !/postgres|^cat /.test(command));
    await db.destroy();
    await proxy.cut();
    const server = await postgres?.release();
    await server?.stop();
    if (disk) execFileSync("umount", ["-l", path.join(sandbox.folder, "disk")]);
    await sandbox.close();
    return { code, left: left.map(({ command }) => command) };
  }
}

/** The service's own database: each start of the service has another folder for the socket, to which this one leads. */
function ownUrl(dataDir: string, link: string): string {
  const password = readFileSync(path.join(dataDir, "password"), "utf8").trim();
  return `postgres://${POSTGRES_USER}:${password}@${encodeURIComponent(link)}/${DATABASE}`;
}

function linkSocket(dataDir: string, link: string): void {
  const [, , , , folder = ""] = readFileSync(path.join(dataDir, "postmaster.pid"), "utf8").split("\n");
  rmSync(link, { force: true });
  symlinkSync(folder, link);
}

/** Why a database cannot have a small disk here, or undefined. */
export function noDisk(): string | undefined {
  try {
    const folder = path.join("/tmp", `sv-disk-${process.pid}`);
    execFileSync("mkdir", ["-p", folder]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "pipe" });
    execFileSync("umount", [folder]);
    execFileSync("rmdir", [folder]);
    return undefined;
  } catch (error) {
    return `a file system cannot be mounted (${String((error as { stderr?: unknown }).stderr ?? error).trim()})`;
  }
}

function mountDisk(folder: string): Disk {
  execFileSync("mkdir", ["-p", folder]);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=160m,mode=755", "tmpfs", folder]);
  const ballast = path.join(folder, "ballast");
  return {
    fill() {
      try {
        execFileSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=64k"], { stdio: "pipe" });
      } catch {
        // It ends when the disk is full.
      }
    },
    free: () => execFileSync("rm", ["-f", ballast]),
  };
}

/** None while no server is there. */
function databaseProcesses(dataDir: string): number[] {
  const file = path.join(dataDir, "postmaster.pid");
  const postmaster = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
  if (!existsSync(`/proc/${postmaster}`)) return [];
  const children = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === postmaster ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
  return [postmaster, ...children];
}
