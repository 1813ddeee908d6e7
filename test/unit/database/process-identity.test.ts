import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { isGroupStillRunning, isStillRunning, processIdentity } from "../../../src/embedded/process-identity.ts";
import { eventually } from "../../support/wait.ts";

describe("the identity of a process", () => {
  let leader: ChildProcess;
  let pid: number;
  let other: number;

  /** A process with another one in its group. */
  beforeEach(async () => {
    leader = spawn("/bin/sh", ["-c", "sleep 1000 & echo $!; wait"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    pid = leader.pid ?? 0;
    const [line] = await once(leader.stdout ?? leader, "data");
    other = Number(line);
  });
  afterEach(() => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The test has ended all of it.
    }
  });

  it("is that of a running process until it ends", async () => {
    const identity = await processIdentity(pid);
    expect(await isStillRunning(identity)).to.equal(true);
    leader.kill("SIGKILL");
    await once(leader, "exit");
    expect(await isStillRunning(identity)).to.equal(false);
  });

  it("is that of a running group until the last process of it ends", async () => {
    const identity = await processIdentity(pid);
    expect(await isGroupStillRunning(identity)).to.equal(true);
    leader.kill("SIGKILL");
    await once(leader, "exit");
    expect(await isGroupStillRunning(identity)).to.equal(true);
    process.kill(other, "SIGKILL");
    await eventually(async () => !(await isGroupStillRunning(identity)));
  });

  it("is not that of a process that has ended and whose parent does not ask how, as in some containers", async () => {
    // The shell becomes a program that never asks for its children.
    const script = "exec 3<&0; setsid head -c 1 <&3 >&2 & echo $!; exec sleep 1000";
    const parent = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    try {
      const [line] = await once(parent.stdout, "data");
      const ended = Number(line);
      // Until then the shell might ask for it.
      await eventually(async () => (await readFile(`/proc/${parent.pid}/comm`, "utf8")) === "sleep\n");
      parent.stdin.end("x");
      await eventually(async () => (await readFile(`/proc/${ended}/stat`, "utf8")).includes(") Z "));
      const identity = await processIdentity(ended);
      expect(await isStillRunning(identity)).to.equal(false);
      expect(await isGroupStillRunning(identity)).to.equal(false);
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("is not that of a process that has its id now", async () => {
    expect(await isStillRunning(`${pid} 1`)).to.equal(false);
    expect(await isGroupStillRunning(`${pid} 1`)).to.equal(false);
    for (const nobody of ["", "x", "0 1", "-1 1"]) {
      expect(await isStillRunning(nobody), nobody).to.equal(false);
      expect(await isGroupStillRunning(nobody), nobody).to.equal(false);
    }
  });
});
