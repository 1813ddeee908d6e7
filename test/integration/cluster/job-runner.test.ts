import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { createLocalCoreResources } from "../../../src/cluster/local/core-resources.ts";
import { createJobRunner, type JobRunnerOptions } from "../../../src/cluster/local/job-runner.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { createNode, type LocalNode } from "../../../src/cluster/local/node.ts";
import { requestSlots } from "../../../src/cluster/local/request-slots.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { podProblem } from "../../../src/controller/jobs/pod-health.ts";
import type { JobResource } from "../../../src/schema/resources.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { compileCache } from "../../support/cache.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

const log = createLogger("error", { program: "test" });
log.silent = true;
const PROGRAM = path.join(import.meta.dirname, "../../support/programs/pod.ts");

describe("the job runner", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let folder: string;
  let lines: string[];
  let node: LocalNode;
  let stopRunner: () => Promise<void>;

  before(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log });
  });
  after(() => database.drop());

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-jobs-"));
    lines = [];
    node = createNode({ local: { greeting: "from a secret" } });
    startRunner();
  });
  afterEach(async () => {
    await stopRunner();
    for (const job of (await cluster.list("Job")).items) await cluster.delete("Job", "default", job.metadata.name);
    await rm(folder, { recursive: true });
  });

  function startRunner(options: Partial<JobRunnerOptions> = {}): void {
    const stop = new AbortController();
    const running = createJobRunner({
      cluster,
      log,
      namespace: "default",
      command: (args) => ({ file: process.execPath, args: [PROGRAM, ...args] }),
      environment: compileCache,
      node,
      onLine: (line) => lines.push(line),
      backoffMs: 10,
      ...options,
    }).run(stop.signal);
    stopRunner = async () => {
      stop.abort();
      await running;
    };
  }

  async function createJob(args: string[], spec: Partial<JobResource["spec"]> = {}): Promise<JobResource> {
    return cluster.create<"Job">({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: `job-${Math.random().toString(36).slice(2)}`, namespace: "default" },
      spec: {
        parallelism: 1,
        backoffLimit: 2,
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [
              {
                name: "main",
                image: "none",
                args,
                env: [
                  { name: "LOG", value: path.join(folder, "log") },
                  { name: "GREETING", valueFrom: { secretKeyRef: { name: "local", key: "greeting" } } },
                ],
              },
            ],
          },
        },
        ...spec,
      },
    });
  }

  const get = (job: JobResource) => cluster.get("Job", "default", job.metadata.name);
  const finished = (job: JobResource) =>
    eventually(async () => {
      const { status } = (await get(job)) ?? {};
      return status?.conditions && status;
    });
  const active = (job: JobResource, count: number) =>
    eventually(async () => (await get(job))?.status?.active === count && (await logged("ready")) >= count);
  const logged = async (text: string) =>
    (await readFile(path.join(folder, "log"), "utf8").catch(() => "")).split("\n").filter((line) => line.includes(text))
      .length;
  const pids = async () =>
    (await readFile(path.join(folder, "log"), "utf8"))
      .split("\n")
      .flatMap((line) => line.match(/^\d+/)?.map(Number) ?? []);

  const pidOf = async (text: string) => {
    const lines = (await readFile(path.join(folder, "log"), "utf8")).split("\n");
    return Number(lines.find((line) => line.includes(text))?.split(" ")[0]);
  };
  /** The process that was started first: numbers grow, but begin again after the highest. */
  const firstOf = (started: number[]) => {
    const wrapped = Math.max(...started) - Math.min(...started) > 16_000;
    return Math.min(...started.filter((pid) => !wrapped || pid > 16_000));
  };

  it("runs a Job as a process with the container's arguments and environment", async () => {
    const status = await finished(await createJob(["exit", "0"]));
    expect(status).to.deep.include({ active: 0, succeeded: 1, failed: 0 });
    expect(status.conditions?.[0]).to.deep.include({ type: "Complete", status: "True" });
    expect(status.completionTime).to.be.a("string");
    expect(await logged("start from a secret")).to.equal(1);
    expect(lines).to.deep.equal([JSON.stringify({ message: "hello", what: "exit" })]);
  });

  describe("that runs Jobs in this process", () => {
    type Inside = NonNullable<JobRunnerOptions["inside"]>;
    const inside = async (run: Inside) => {
      await stopRunner();
      startRunner({ inside: run });
    };

    it("gives them the container's arguments and environment, and a process for none", async () => {
      const given: unknown[] = [];
      await inside(async (args, { GREETING }) => {
        given.push(args, GREETING);
        return 0;
      });
      expect(await finished(await createJob(["exit", "1"]))).to.deep.include({ active: 0, succeeded: 1, failed: 0 });
      expect([given, await logged("start")]).to.deep.equal([[["exit", "1"], "from a secret"], 0]);
    });

    it("counts their failures, and those that end by an error", async () => {
      const ends = [() => 1, () => expect.fail("a fault"), () => 0];
      await inside(async () => ends.shift()?.() ?? 0);
      expect(await finished(await createJob(["exit", "0"]))).to.deep.include({ succeeded: 1, failed: 2 });
    });

    it("starts a process for those that need one", async () => {
      await inside(() => undefined);
      expect(await finished(await createJob(["exit", "0"]))).to.deep.include({ succeeded: 1 });
      expect(await logged("start")).to.equal(1);
    });

    it("lets a process go on with one that moves, which is no failure", async () => {
      let runs = 0;
      await inside(() => (runs++ === 0 ? Promise.resolve("moved" as const) : undefined));
      const status = await finished(await createJob(["exit", "0"], { backoffLimit: 0 }));
      expect(status).to.deep.include({ succeeded: 1, failed: 0 });
      expect(await logged("start")).to.equal(1);
    });

    it("shares the cores with them", async () => {
      const order: string[] = [];
      await stopRunner();
      startRunner({
        coreCount: 1,
        inside: async ([name = ""], _, cores, signal) => {
          const release = await requestSlots(cores)?.acquire(signal);
          order.push(`${name} begins`);
          // Long enough for the other one to ask.
          await cluster.list("Job");
          order.push(`${name} ends`);
          release?.();
          return 0;
        },
      });
      await Promise.all((await Promise.all([createJob(["a"]), createJob(["b"])])).map(finished));
      expect(order.map((text) => text.slice(2))).to.deep.equal(["begins", "ends", "begins", "ends"]);
    });

    it("stops them with a deleted Job", async () => {
      const stopped = Promise.withResolvers<unknown>();
      await inside((_, __, ___, signal) =>
        new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())).then(() => {
          stopped.resolve(signal.reason);
          return 1;
        }),
      );
      const job = await createJob(["wait"]);
      await eventually(async () => (await get(job))?.status?.active === 1 || undefined);
      await cluster.delete("Job", "default", job.metadata.name);
      expect(await stopped.promise).to.be.an("error");
    });
  });

  it("shows the container's variables, which may be secrets, to no other process", async () => {
    const job = await createJob(["wait"]);
    await active(job, 1);
    expect(await logged("start from a secret")).to.equal(1);
    const [pid] = await pids();
    const seen = await readFile(`/proc/${pid}/environ`, "utf8");
    expect(seen).to.include("PARENT_PIPE=stdin").and.not.include("from a secret");
  });

  it("starts a failed process again, up to the Job's limit", async () => {
    const status = await finished(await createJob(["exit", "1"]));
    expect(status).to.deep.include({ succeeded: 0, failed: 3 });
    expect(status.conditions?.[0]).to.deep.include({ type: "Failed", reason: "BackoffLimitExceeded" });
    expect(await logged("start")).to.equal(3);
  });

  it("completes a Job whose second try succeeds", async () => {
    const status = await finished(await createJob(["fail-once", path.join(folder, "once")]));
    expect(status).to.deep.include({ succeeded: 1, failed: 1 });
    expect(status.conditions?.[0]?.type).to.equal("Complete");
  });

  it("follows a change of parallelism that comes while the status is written", async () => {
    await stopRunner();
    const written = Promise.withResolvers<void>();
    let writes = 0;
    startRunner({
      cluster: {
        ...cluster,
        // The watch is slower than the writer of the status, who reads the change after a conflict.
        async *watch(kind, options) {
          for await (const event of cluster.watch(kind, options)) {
            if (event.type === "MODIFIED") await written.promise;
            yield event;
          }
        },
        async updateStatus(object) {
          if (writes++ === 0) {
            const job = await cluster.get("Job", "default", object.metadata.name);
            if (job) await cluster.update<"Job">({ ...job, spec: { ...job.spec, parallelism: 2 } });
          }
          const updated = await cluster.updateStatus(object);
          written.resolve();
          return updated;
        },
      },
    });
    const job = await createJob(["wait"]);
    await active(job, 2);
    expect((await get(job))?.status).to.include({ active: 2, failed: 0 });
  });

  it("follows a change of parallelism that it is told of before its own write is answered", async () => {
    await stopRunner();
    const told = Promise.withResolvers<void>();
    let writes = 0;
    startRunner({
      cluster: {
        ...cluster,
        async *watch(kind, options) {
          for await (const event of cluster.watch(kind, options)) {
            yield event;
            if (event.type === "MODIFIED" && event.object.metadata.generation === 2) told.resolve();
          }
        },
        async updateStatus(object) {
          const updated = await cluster.updateStatus(object);
          if (writes++ > 0) return updated;
          const job = await cluster.get("Job", "default", object.metadata.name);
          if (job) await cluster.update<"Job">({ ...job, spec: { ...job.spec, parallelism: 2 } });
          await told.promise;
          return updated;
        },
      },
    });
    const job = await createJob(["wait"]);
    await active(job, 2);
    expect((await get(job))?.status).to.include({ active: 2, failed: 0 });
  });

  it("tries again for as long as no process can be spawned, says so, and counts none of them", async () => {
    await stopRunner();
    let broken = true;
    let tries = 0;
    startRunner({
      backoffMs: 1,
      command: (args) => {
        tries += 1;
        // Longer than Linux allows, so that spawn throws, as it does when memory is short.
        const extra = broken ? ["x".repeat(5_000_000)] : [];
        return { file: process.execPath, args: [PROGRAM, ...args, ...extra] };
      },
    });
    const job = await createJob(["exit", "0"]);
    await eventually(() => tries > 6);
    const pods = await createLocalCoreResources({ cluster, node, namespace: "default" }).listPods("default", "");
    expect(podProblem(pods)).to.deep.include({ reason: "BrokenEnvironment" });
    expect(podProblem(pods)?.message).to.match(/could not be started: .*E2BIG/);
    broken = false;
    const status = await finished(job);
    expect(status).to.deep.include({ active: 0, succeeded: 1, failed: 0 });
    expect(status.conditions?.[0]?.type).to.equal("Complete");
  });

  it("tries again after exit code 3, the machine's fault, without counting it", async () => {
    await stopRunner();
    let tries = 0;
    startRunner({
      backoffMs: 1,
      command: (args) => ({ file: process.execPath, args: [PROGRAM, ...(++tries < 6 ? ["exit", "3"] : args)] }),
    });
    const status = await finished(await createJob(["exit", "0"]));
    expect(status).to.deep.include({ active: 0, succeeded: 1, failed: 0 });
    expect(tries).to.equal(6);
  });

  it("says why a process could not be started if no more files can be opened", async () => {
    const program = path.join(import.meta.dirname, "../../support/programs/pod-without-files.ts");
    const command = ["-c", 'ulimit -n 128 && exec "$0" "$1"', process.execPath, program];
    const { stdout } = await promisify(execFile)("/bin/sh", command);
    const exit = JSON.parse(stdout) as { code: number | null; detail: string };
    expect(exit.code).to.equal(null);
    expect(exit.detail).to.match(/^could not be started: .*EMFILE/);
  });

  it("pauses between its tries to write a status, also while its pods end", async () => {
    await stopRunner();
    let writes = 0;
    let gone = true;
    const unreachable: Cluster = {
      ...cluster,
      async updateStatus(resource) {
        writes += 1;
        if (gone) throw new Error("The database is not reachable.");
        return cluster.updateStatus(resource);
      },
    };
    startRunner({ cluster: unreachable });
    const job = await createJob(["exit", "0"]);
    await eventually(async () => (await logged("start")) === 1 && writes > 0);
    const before = writes;
    // A loop without pauses would write thousands of times.
    for (let turns = 0; turns < 2_000; turns++) await setImmediate();
    expect(writes - before).to.be.below(100);
    gone = false;
    expect(await finished(job)).to.deep.include({ succeeded: 1 });
  });

  it("does not try again after exit code 2", async () => {
    const status = await finished(await createJob(["exit", "2"], { backoffLimit: 6 }));
    expect(status.conditions?.[0]).to.deep.include({ type: "Failed", reason: "PodFailurePolicy" });
    expect(await logged("start")).to.equal(1);
  });

  it("starts more processes when parallelism is raised, and none after the first success", async () => {
    const gate = path.join(folder, "gate");
    const job = await createJob(["until", gate]);
    await active(job, 1);
    await eventually(async () => {
      const fresh = await get(job);
      return fresh && cluster.update<"Job">({ ...fresh, spec: { ...fresh.spec, parallelism: 3 } }).catch(() => false);
    });
    await active(job, 3);
    await writeFile(gate, "");
    const status = await finished(job);
    expect(status.succeeded).to.equal(3);
    expect(await logged("start")).to.equal(3);
  });

  it("ends the youngest processes when parallelism is lowered, and counts none of them", async () => {
    const gate = path.join(folder, "gate");
    const job = await createJob(["until", gate], { parallelism: 3, backoffLimit: 0 });
    await active(job, 3);
    const oldest = firstOf(await pids());
    await eventually(async () => {
      const fresh = await get(job);
      return fresh && cluster.update<"Job">({ ...fresh, spec: { ...fresh.spec, parallelism: 1 } }).catch(() => false);
    });
    await eventually(async () => {
      const { status } = (await get(job)) ?? {};
      return status?.active === 1 && status.terminating === 0;
    });
    expect(await logged("SIGTERM")).to.equal(2);
    const alive = [...new Set(await pids())].filter(isAlive);
    expect(alive).to.have.length(1);
    expect(alive).to.deep.equal([oldest]);
    await writeFile(gate, "");
    const status = await finished(job);
    expect(status).to.deep.include({ active: 0, terminating: 0, succeeded: 1, failed: 0 });
    expect(status.conditions?.[0]?.type).to.equal("Complete");
  });

  it("starts no other process in place of one that does not end, until it is gone", async () => {
    await stopRunner();
    startRunner({ graceMs: 300_000 });
    const job = await createJob(["stubborn"], { parallelism: 2 });
    await active(job, 2);
    await eventually(async () => {
      const fresh = await get(job);
      return fresh && cluster.update<"Job">({ ...fresh, spec: { ...fresh.spec, parallelism: 1 } }).catch(() => false);
    });
    await eventually(async () => {
      const { status } = (await get(job)) ?? {};
      return status?.active === 1 && status.terminating === 1;
    });
    expect([...new Set(await pids())].filter(isAlive)).to.have.length(2);
    const asked = await eventually(async () => (await logged("SIGTERM")) === 1 && pidOf("SIGTERM"));
    process.kill(asked, "SIGKILL");
    await eventually(async () => (await get(job))?.status?.terminating === 0);
    const left = [...new Set(await pids())].filter(isAlive);
    expect(left).to.have.length(1);
    expect((await get(job))?.status?.failed).to.equal(0);
    // Without the Job no other one is started. The runner would wait for it, for as long as that takes.
    await cluster.delete("Job", "default", job.metadata.name);
    for (const pid of left) process.kill(pid, "SIGKILL");
  });

  it("ends the processes of a deleted Job", async () => {
    const job = await createJob(["wait"]);
    await active(job, 1);
    await cluster.delete("Job", "default", job.metadata.name);
    await eventually(async () => (await logged("SIGTERM")) === 1);
    await eventually(async () => (await pids()).every((pid) => !isAlive(pid)));
  });

  it("kills a process that does not end when asked to", async () => {
    await stopRunner();
    startRunner({ graceMs: 100 });
    const job = await createJob(["stubborn"]);
    await active(job, 1);
    await cluster.delete("Job", "default", job.metadata.name);
    await eventually(async () => (await pids()).every((pid) => !isAlive(pid)));
  });

  it("ends a Job at its deadline", async () => {
    const status = await finished(await createJob(["wait"], { activeDeadlineSeconds: 0 }));
    expect(status.conditions?.[0]).to.deep.include({ type: "Failed", reason: "DeadlineExceeded" });
    expect(status.active).to.equal(0);
  });

  it("removes a finished Job when its time to live is over", async () => {
    const job = await createJob(["exit", "0"], { ttlSecondsAfterFinished: 0 });
    await eventually(async () => (await get(job)) === undefined);
  });

  it("waits for its processes when it stops, and starts their Jobs again when it comes back", async () => {
    const gate = path.join(folder, "gate");
    const job = await createJob(["until", gate], { parallelism: 2 });
    await active(job, 2);
    const before = await pids();
    await stopRunner();
    expect(before.every((pid) => !isAlive(pid))).to.equal(true);
    expect((await get(job))?.status)
      .to.deep.include({ failed: 0 })
      .and.not.have.property("conditions");
    startRunner();
    await eventually(async () => (await logged("ready")) === 4);
    await writeFile(gate, "");
    expect(await finished(job)).to.deep.include({ succeeded: 2, failed: 0 });
  });

  it("lets a Job wait for a Secret that does not exist yet, and says which", async () => {
    node.secrets.clear();
    const job = await createJob(["exit", "0"]);
    const core = createLocalCoreResources({ cluster, node, namespace: "default" });
    const selector = `job-name=${job.metadata.name}`;
    const pod = await eventually(async () => (await core.listPods("default", selector))[0]);
    expect(pod.status?.phase).to.equal("Pending");
    expect(podProblem([pod])).to.deep.equal({
      reason: "CreateContainerConfigError",
      message: `Pod ${pod.metadata.name}: There is no Secret local with the key greeting, which GREETING refers to.`,
    });
    node.secrets.set("local", { data: { greeting: "late" } });
    expect(await finished(job)).to.deep.include({ succeeded: 1, failed: 0 });
    await eventually(async () => (await core.listPods("default", selector)).length === 0);
  });

  it("leaves no process behind when the service is killed", async () => {
    const host = spawn(
      process.execPath,
      [path.join(import.meta.dirname, "../../support/programs/pod-host.ts"), PROGRAM],
      {
        env: { LOG: path.join(folder, "log") },
        stdio: "ignore",
      },
    );
    await eventually(async () => (await logged("ready")) === 1);
    host.kill("SIGKILL");
    await eventually(async () => (await logged("parent gone")) === 1);
    await eventually(async () => (await pids()).every((pid) => !isAlive(pid)));
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
