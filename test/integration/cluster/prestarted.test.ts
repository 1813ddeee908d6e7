import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { createCoreSlots } from "../../../src/cluster/local/core-slots.ts";
import { startPod } from "../../../src/cluster/local/pod.ts";
import { createPrestartedProcesses, type PrestartedProcesses } from "../../../src/cluster/local/prestarted.ts";
import { compileCache } from "../../support/cache.ts";
import { eventually } from "../../support/wait.ts";

const PROGRAM = path.join(import.meta.dirname, "../../support/programs/pod.ts");
const SECRET = "of one report alone";

describe("processes that are started before their Jobs", () => {
  let folder: string;
  let prestarted: PrestartedProcesses;
  /** The processes in the order of their starts. */
  let started: string[][];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-prestarted-"));
    started = [];
    prestarted = createPrestartedProcesses({ command, environment: compileCache });
  });
  afterEach(async () => {
    await prestarted.close();
    await rm(folder, { recursive: true });
  });

  const command = (args: string[]) => {
    started.push(args);
    return { file: process.execPath, args: [PROGRAM, ...args] };
  };
  const start = (...expected: [string, ...string[]][]): void => prestarted.start(expected);
  const startJob = (...args: string[]) =>
    startPod({
      ...{
        args,
        command,
        prestarted,
        env: compileCache,
        variables: { LOG: path.join(folder, "log"), GREETING: SECRET },
      },
      ...{ graceMs: 1_000, onLine: () => {}, cores: createCoreSlots(1) },
    });
  const log = () => readFile(path.join(folder, "log"), "utf8").catch(() => "");
  /** The processes that wait; undefined for none. */
  const waiting = async (): Promise<number[] | undefined> => {
    const found = await Promise.all(
      (await readdir("/proc")).map(async (pid) => {
        const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
        const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
        const [, parent] = /\) \w (\d+)/.exec(stat) ?? [];
        return command.includes("--prestarted") && Number(parent) === process.pid ? [Number(pid)] : [];
      }),
    );
    const pids = found.flat();
    return pids.length > 0 ? pids : undefined;
  };

  it("run a Job with its arguments and variables", async () => {
    start(["exit"]);
    expect(await startJob("exit", "7").exited).to.include({ code: 7 });
    expect(await log()).to.include(`start ${SECRET}`);
    expect(started).to.deep.equal([["exit", "--prestarted"]]);
  });

  it("run one Job each, so that none sees what another report was given", async () => {
    start(["exit"]);
    const first = startJob("exit", "0");
    const second = startJob("exit", "0");
    expect(await Promise.all([first.exited, second.exited])).to.have.lengthOf(2);
    expect(first.pid).not.to.equal(second.pid);
    expect(started).to.deep.equal([
      ["exit", "--prestarted"],
      ["exit", "0"],
    ]);
  });

  it("have nothing of a report in their environment, before and after", async () => {
    start(["wait"]);
    const { pid } = startJob("wait");
    await eventually(async () => (await log()).includes("ready"));
    const seen = await readFile(`/proc/${pid}/environ`, "utf8");
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8");
    expect(seen + line)
      .to.include("PARENT_PIPE=stdin")
      .and.not.include(SECRET);
    process.kill(pid ?? 0, "SIGKILL");
  });

  it("are for Jobs of the same program and options alone", () => {
    start(["wait", "--engine", "html"]);
    expect(prestarted.take(["exit", "--engine", "html"])).to.equal(undefined);
    expect(prestarted.take(["wait", "--engine", "a11y"])).to.equal(undefined);
    expect(prestarted.take(["wait", "--run", "html"])).to.equal(undefined);
    const child = prestarted.take(["wait", "--run", "1", "--engine", "html"]);
    expect(child?.kill("SIGKILL")).to.equal(true);
  });

  it("leave a Job to a process of its own if they were killed before it", async () => {
    start(["exit"]);
    const [pid = 0] = await eventually(waiting);
    process.kill(pid, "SIGKILL");
    // Until it is reaped: then its end is known here, too.
    await eventually(() => !existsSync(`/proc/${pid}`));
    expect(await startJob("exit", "5").exited).to.include({ code: 5 });
  });

  it("end when they are not needed, and run no Job after that", async () => {
    start(["exit"], ["wait"]);
    await prestarted.close();
    expect(await waiting()).to.equal(undefined);
    expect(prestarted.take(["exit"])).to.equal(undefined);
  });

  it("are there once for each kind of Job", () => {
    start(["exit"], ["wait", "--engine", "html"]);
    start(["exit"], ["wait", "--engine", "a11y"]);
    expect(started.map(([program]) => program)).to.deep.equal(["exit", "wait", "wait"]);
  });

  it("end when no Job has come in time", async () => {
    prestarted.start([["exit"]], 1);
    await eventually(async () => (await waiting()) === undefined);
    expect(prestarted.take(["exit"])).to.equal(undefined);
  });

  it("stay with the Job that has taken them, however long it runs", async () => {
    prestarted.start([["wait"]], 50);
    const pod = startJob("wait");
    prestarted.start([["exit"]], 51);
    await eventually(async () => (await waiting())?.length === 1);
    expect(await waiting()).to.deep.equal([pod.pid]);
    process.kill(pod.pid ?? 0, "SIGKILL");
    await pod.exited;
  });

  it("end with their parent", async () => {
    start(["exit"]);
    const child = prestarted.take(["exit"]) ?? expect.fail("no process waits");
    child.stdin?.end();
    expect(await once(child, "exit")).to.deep.equal([0, null]);
    expect(await log()).to.equal("");
  });
});
