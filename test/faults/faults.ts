import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../packages/html-conformance/comparison/generator/random.ts";
import { readProcStat } from "../../src/files/proc-stat.ts";
import { readProc } from "../support/read-proc.ts";
import type { Role, World } from "./world.ts";

/** A fault that is there for a while. */
export type Fault = {
  name: string;
  /** When it may come, in parts of all the work of the report: while what it hits is there. */
  window: [number, number];
  /** Needs a database on a small disk. */
  disk?: true;
  /** Hits the PostgreSQL that the service starts itself, and so comes with no faults of the network or of another one. */
  ownPostgres?: true;
  /** Needs a crawl in a browser. */
  rendered?: true;
  /**
   * Makes the fault and ends it again.
   *
   * @returns false when what it hits is not there (any more)
   */
  run(world: World, random: Random): Promise<boolean>;
};

const ALWAYS: [number, number] = [0.02, 0.8];

/** For so long, in milliseconds, a fault that ends by itself lasts: some shorter, some longer than the programs' limits. */
const lasting = (random: Random): number => random.pick([500, 3_000, 12_000, 35_000]);

export const faults: Fault[] = [
  ...(
    [
      ["service", ALWAYS],
      ["crawler", [0.02, 0.2]],
      ["HTML checker", [0.02, 0.15]],
      ["accessibility checker", ALWAYS],
      ["HTML engine", [0.02, 0.1]],
      ["browser", ALWAYS],
      ["renderer", ALWAYS],
    ] as [Role, [number, number]][]
  ).map(
    ([role, window]): Fault => ({
      name: `kill -9: ${role}`,
      window,
      run: async (world, random) => kill(world, role, random),
    }),
  ),
  {
    name: "kill -9: accessibility checker, three times",
    window: [0.02, 0.5],
    async run(world, random) {
      for (let time = 0; time < 3; time++) {
        if (!(await kill(world, "accessibility checker", random))) return false;
        await sleep(1_000);
      }
      return true;
    },
  },
  {
    name: "kill -9: renderers while tabs open",
    window: [0, 0.15],
    rendered: true,
    run: killOpening,
  },
  {
    name: "kill -9: everything at once",
    window: ALWAYS,
    async run(world) {
      const roles = ["service", "crawler", "HTML checker", "accessibility checker", "HTML engine", "browser"] as const;
      return signalAll(roles.flatMap(world.processes), "SIGKILL");
    },
  },
  {
    name: "kill -9: a connection's server process",
    window: ALWAYS,
    async run(world, random) {
      const [, ...others] = world.database();
      return others.length > 0 && signalAll([random.pick(others)], "SIGKILL");
    },
  },
  {
    name: "kill -9: PostgreSQL",
    window: ALWAYS,
    run: async (world) => signalAll(world.database().slice(0, 1), "SIGKILL"),
  },
  {
    name: "kill -9: PostgreSQL under standalone",
    window: ALWAYS,
    ownPostgres: true,
    run: async (world) => killPostmaster(world),
  },
  {
    name: "kill -9: PostgreSQL under standalone, three times",
    window: [0.02, 0.5],
    ownPostgres: true,
    async run(world, random) {
      for (let time = 0; time < 3; time++) {
        if (!(await killPostmaster(world))) return false;
        await sleep(random.pick([0, 300, 3_000]));
      }
      return true;
    },
  },
  {
    // Its processes cannot notice that it is gone, and hold the data folder.
    name: "kill -9: PostgreSQL under standalone, whose other processes are frozen",
    window: ALWAYS,
    ownPostgres: true,
    async run(world) {
      const [postmaster, ...others] = world.database();
      signalAll(others, "SIGSTOP");
      return postmaster !== undefined && signalAll([postmaster], "SIGKILL");
    },
  },
  {
    name: "kill -9: service and PostgreSQL under standalone",
    window: ALWAYS,
    ownPostgres: true,
    run: async (world) => signalAll([...world.database().slice(0, 1), ...world.processes("service")], "SIGKILL"),
  },
  {
    name: "freeze: service",
    window: ALWAYS,
    run: (world, random) => freeze(world.processes("service"), random.pick([3_000, 30_000])),
  },
  {
    // Longer than a lease: another checker takes its checks over meanwhile.
    name: "freeze: accessibility checker",
    window: [0.02, 0.5],
    run: (world) => freeze(world.processes("accessibility checker"), 30_000),
  },
  // Longer than the limits of a page, a check and a connection.
  ...(
    [
      ["crawler", [0.02, 0.2]],
      ["HTML engine", [0.02, 0.1]],
      ["browser", [0.02, 0.5]],
      ["renderer", [0.02, 0.5]],
    ] as [Role, [number, number]][]
  ).map(
    ([role, window]): Fault => ({
      name: `freeze: ${role}`,
      window,
      run: (world, random) => freeze(world.processes(role), random.pick([12_000, 40_000])),
    }),
  ),
  {
    name: "freeze: PostgreSQL",
    window: ALWAYS,
    run: (world, random) => freeze(world.database(), lasting(random)),
  },
  {
    name: "network: connections reset",
    window: ALWAYS,
    async run({ proxy }) {
      for (let time = 0; time < 5; time++) {
        proxy.reset();
        await sleep(300);
      }
      return true;
    },
  },
  {
    name: "network: cut",
    window: ALWAYS,
    async run({ proxy }, random) {
      await proxy.cut();
      await sleep(lasting(random));
      await proxy.mend();
      return true;
    },
  },
  {
    name: "network: swallows everything",
    window: ALWAYS,
    run: (world, random) => during(world, random, () => world.proxy.swallow()),
  },
  {
    name: "network: one end is not heard",
    window: ALWAYS,
    run: (world, random) => during(world, random, () => world.proxy.deafen(random.pick(["client", "server"]))),
  },
  {
    name: "network: slow",
    window: ALWAYS,
    run: (world, random) => during(world, random, () => world.proxy.delay(20 + random.below(200))),
  },
  {
    name: "disk full",
    window: ALWAYS,
    disk: true,
    async run({ disk }, random) {
      if (!disk) return false;
      disk.fill();
      await sleep(lasting(random));
      disk.free();
      return true;
    },
  },
  {
    name: "few file descriptors",
    window: ALWAYS,
    async run(world, random) {
      const roles = ["service", "HTML checker", "accessibility checker"] as const;
      const pids = roles.flatMap(world.processes);
      for (const pid of pids) limitFiles(pid, `${readdirSync(`/proc/${pid}/fd`).length + 1}`);
      await sleep(lasting(random));
      for (const pid of pids) limitFiles(pid, "4096");
      return pids.length > 0;
    },
  },
  {
    // The pods keep their clock. Longer than the time in which Kubernetes replaces a pod.
    name: "clock: 40 s between pods and API server, while checkers are killed",
    window: [0.02, 0.5],
    async run(world, random) {
      let hit = 0;
      for (const offset of random.shuffle([40_000, -40_000])) {
        world.setClock(offset);
        if (await kill(world, "accessibility checker", random)) hit += 1;
        await sleep(5_000);
      }
      world.setClock(0);
      return hit > 0;
    },
  },
  {
    name: "clock: an hour forward and back",
    window: ALWAYS,
    async run(world, random) {
      for (const offset of random.shuffle([3_600_000, -3_600_000])) {
        world.setClock(offset);
        await sleep(5_000);
      }
      world.setClock(0);
      return true;
    },
  },
];

async function during({ proxy }: World, random: Random, begin: () => void): Promise<boolean> {
  begin();
  await sleep(lasting(random));
  await proxy.mend();
  return true;
}

/** Waits a moment for a process of the role, since the next one may just be starting. */
async function kill(world: World, role: Role, random: Random): Promise<boolean> {
  for (let left = 300; left > 0; left--) {
    const pids = world.processes(role);
    if (pids.length > 0 && signalAll([random.pick(pids)], "SIGKILL")) return true;
    await sleep(20);
  }
  return false;
}

/** So many may end before their page is visited; one more, and the browser does not work. */
const MAX_OPENING_KILLS = 4;
/** A tab that is older may be visiting its page by now: a third end there is the page's own failure. In milliseconds. */
const MAX_OPENING_MS = 60;
/** So long they may take to come, in milliseconds. */
const OPENING_LIMIT_MS = 20_000;

/** Kills the renderers that are there, so that new tabs open, and then those of the new tabs as soon as they are there. */
async function killOpening(world: World): Promise<boolean> {
  let there: number[] = [];
  const end = performance.now() + OPENING_LIMIT_MS;
  for (; there.length === 0 && performance.now() < end; await sleep(20)) there = world.processes("renderer");
  // The browsers, or what starts renderers for them. To look at those alone that are new takes a moment, to look at all too long.
  const parents = new Set(there.map(parentOf));
  const seen = new Set(readdirSync("/proc"));
  signalAll(there, "SIGKILL");
  let kills = 0;
  for (; kills < MAX_OPENING_KILLS && performance.now() < end; await sleep(5))
    for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one) && !seen.has(one))) {
      const pid = Number(name);
      const isOurs = parents.has(parentOf(pid));
      // One of ours that is no renderer yet may become one in a moment.
      if (!isOurs || isRenderer(pid)) seen.add(name);
      if (!isOurs || !isRenderer(pid) || kills >= MAX_OPENING_KILLS) continue;
      if (ageOf(pid) <= MAX_OPENING_MS && signalAll([pid], "SIGKILL")) kills += 1;
    }
  return kills > 0;
}

const parentOf = (pid: number): string => readProcStat(pid)?.(4) ?? "";
const isRenderer = (pid: number): boolean => readProc(pid, "cmdline").includes("--type=renderer");

/** How long a process has been there, in milliseconds; Linux counts in hundredths of a second. */
function ageOf(pid: number): number {
  const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  return uptime * 1_000 - Number(readProcStat(pid)?.(22) ?? 0) * 10;
}

/** Waits a moment for the server, which may just be starting. */
async function killPostmaster(world: World): Promise<boolean> {
  for (let left = 300; left > 0; left--) {
    if (signalAll(world.database().slice(0, 1), "SIGKILL")) return true;
    await sleep(20);
  }
  return false;
}

async function freeze(pids: number[], milliseconds: number): Promise<boolean> {
  const hit = signalAll(pids, "SIGSTOP");
  await sleep(milliseconds);
  signalAll(pids, "SIGCONT");
  return hit;
}

/** @returns true when one of them was there */
function signalAll(pids: number[], signal: NodeJS.Signals): boolean {
  return pids.map((pid) => send(pid, signal)).some(Boolean);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function limitFiles(pid: number, soft: string): void {
  try {
    execFileSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`], { stdio: "pipe" });
  } catch {
    // It has ended meanwhile.
  }
}
