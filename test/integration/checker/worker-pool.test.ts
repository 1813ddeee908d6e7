import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { HtmlDocument } from "html-conformance/documents";
import type { CoreSlots } from "../../../src/checker/processes/core-slots.ts";
import {
  createWorkerPool,
  type PoolOptions,
  type TaskEnd,
  type WorkerPool,
} from "../../../src/checker/processes/worker-pool.ts";
import { createCoreSlots } from "../../../src/cluster/local/core-slots.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { childrenOf } from "../../support/child-processes.ts";
import { eventually } from "../../support/wait.ts";

/** `echo` responds; `hang` waits forever; `spin` works forever. */
type Request = { what: "echo" | "hang" | "spin" };
type Response = { pid: number };

const silent = createLogger("error", {});
silent.silent = true;
const HTML_WORKER = path.join(import.meta.dirname, "../../../src/checker/engines/html/html-validate-worker.ts");
const MODULE = path.join(import.meta.dirname, "../../support/programs/pool-worker.ts");

describe("the worker pool", () => {
  let folder: string;
  let pool: WorkerPool<Request, Response>;
  const { execPath } = process;

  const create = (options: Partial<PoolOptions<Request>> = {}): WorkerPool<Request, Response> =>
    createWorkerPool<Request, Response>({
      module: MODULE,
      execArgv: [],
      workers: 1,
      timeoutMs: 100_000,
      recycle: { after: Number.POSITIVE_INFINITY, cost: () => 0 },
      log: silent,
      ...options,
    });
  const open = (options: Partial<PoolOptions<Request>> = {}) => {
    pool = create(options);
  };
  const run = (what: Request["what"], on = pool): Promise<TaskEnd<Response>> =>
    on.run({ what }, new AbortController().signal);
  const workers = () => childrenOf(process.pid, "worker");

  /** A module that ends before it is ready, for the first few starts. */
  async function lateStarter(failures: number): Promise<string> {
    const module = path.join(folder, "late-worker.mjs");
    const log = JSON.stringify(path.join(folder, "starts"));
    await writeFile(
      module,
      `import { appendFileSync, readFileSync } from "node:fs";
       appendFileSync(${log}, "x");
       if (readFileSync(${log}, "utf8").length <= ${failures}) process.kill(process.pid, "SIGKILL");
       await import(${JSON.stringify(MODULE)});`,
    );
    return module;
  }

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-pool-"));
  });
  afterEach(async () => {
    process.execPath = execPath;
    await pool.close();
    expect(await workers()).to.deep.equal([]);
    await rm(folder, { recursive: true });
  });

  it("keeps a process that was ready in time, also if this one read nothing until after that", async () => {
    const [module, ready] = [path.join(folder, "worker.mjs"), path.join(folder, "ready")];
    await writeFile(
      module,
      // The file appears with its content.
      `import { renameSync, writeFileSync } from "node:fs";
       await import(${JSON.stringify(MODULE)});
       writeFileSync(${JSON.stringify(`${ready}.new`)}, String(process.pid));
       renameSync(${JSON.stringify(`${ready}.new`)}, ${JSON.stringify(ready)});`,
    );
    // A process takes longer to start, so its time is over by then.
    open({ module, startTimeoutMs: 1, startRetryLimitMs: 0 });
    // As a checker that waits for its Job does (main/lifecycle/environment.ts).
    while (!existsSync(ready));
    const pid = Number(readFileSync(ready, "utf8"));
    expect(await run("echo")).to.deep.include({ end: "done", response: { id: 0, pid } });
  });

  it("replaces a process that is killed before it is ready, without failing a task", async () => {
    open({ module: await lateStarter(3), workers: 2 });
    const ends = await Promise.all([run("echo"), run("echo"), run("echo")]);
    expect(ends.map(({ end }) => end)).to.deep.equal(["done", "done", "done"]);
    expect(readFileSync(path.join(folder, "starts"), "utf8").length).to.be.greaterThan(3);
  });

  it("starts another process only for what those that are starting cannot take", async () => {
    open({ workers: 3 });
    await Promise.all([run("echo"), run("echo")]);
    expect(await workers()).to.have.length(1);
    const more = [run("hang"), run("hang"), run("hang")].map((task) => task.catch(() => {}));
    await eventually(async () => (await workers()).length === 2);
    await pool.close();
    await Promise.all(more);
  });

  it("waits until a process can be spawned again, without failing a task", async () => {
    process.execPath = path.join(folder, "nothing");
    open();
    const task = run("echo");
    process.execPath = execPath;
    expect((await task).end).to.equal("done");
  });

  it("gives a task to a new process when a replacement is killed before it is ready", async () => {
    const module = path.join(folder, "slow-worker.mjs");
    const log = JSON.stringify(path.join(folder, "starts"));
    await writeFile(
      module,
      `import { appendFileSync, readFileSync } from "node:fs";
       appendFileSync(${log}, "x");
       // The second one is never ready.
       if (readFileSync(${log}, "utf8") === "xx") setInterval(() => {}, 1_000);
       else await import(${JSON.stringify(MODULE)});`,
    );
    open({ module });
    const { response } = (await run("echo")) as { response: Response };
    const victim = run("hang");
    const behind = run("echo");
    process.kill(response.pid, "SIGKILL");
    expect(await victim).to.deep.equal({ end: "crashed", how: "SIGKILL" });
    const second = await eventually(async () => (await workers()).find(({ pid }) => pid !== response.pid));
    await eventually(() => readFileSync(path.join(folder, "starts"), "utf8") === "xx");
    process.kill(second.pid, "SIGKILL");
    expect((await behind).end).to.equal("done");
  });

  it("says that the environment is broken, and not that a task is lost, when no process starts for long", async () => {
    process.execPath = path.join(folder, "nothing");
    open({ startRetryLimitMs: 0 });
    const error = await run("echo").catch((reason: unknown) => reason);
    expect(error)
      .to.be.instanceOf(BrokenEnvironmentError)
      .with.property("message")
      .that.matches(/ENOENT/);
    process.execPath = execPath;
    expect((await run("echo")).end).to.equal("done");
  });

  it("treats errors that spawn throws like those that it emits", async () => {
    process.execPath = "x".repeat(5_000_000);
    open({ startRetryLimitMs: 0 });
    const error = await run("echo").catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(BrokenEnvironmentError);
  });

  it("kills a process that does not become ready, and starts another", async () => {
    const module = path.join(folder, "stuck-worker.mjs");
    await writeFile(module, "setInterval(() => {}, 1_000);");
    open({ module, startTimeoutMs: 100, startRetryLimitMs: 0 });
    const error = await run("echo").catch((reason: unknown) => reason);
    expect(error)
      .to.be.instanceOf(BrokenEnvironmentError)
      .with.property("message")
      .that.matches(/not ready/);
  });

  it("gives a task all of its CPU time, however long that takes on a busy machine", async () => {
    open({ timeoutMs: 5_000 });
    await run("echo");
    const [worker] = await workers();
    const pid = worker?.pid ?? 0;
    const other = create({ timeoutMs: 200 });
    try {
      await run("echo", other);
      process.kill(pid, "SIGSTOP");
      const stoppedAt = performance.now();
      const task = run("echo");
      // Others use up their CPU time until the limit has passed on the clock. It may pass three times.
      await eventually(async () => {
        expect((await run("spin", other)).end).to.equal("timeout");
        return performance.now() - stoppedAt > 5_000;
      });
      process.kill(pid, "SIGCONT");
      expect(await task).to.have.nested.property("response.pid", pid);
    } finally {
      await other.close();
    }
  });

  it("ends a task that uses more CPU time, and one that gets none for a long time, and says which", async () => {
    open({ timeoutMs: 100 });
    // On a busy machine its share of the time may be so small that the clock is first.
    await eventually(async () => {
      const ended = await run("spin");
      expect(ended).to.have.property("end", "timeout");
      return "over" in ended && ended.over === "work";
    });
    expect(await run("hang")).to.deep.equal({ end: "timeout", over: "clock" });
  });

  it("shares the cores of its machine with other pools: no more processes work than there are slots", async () => {
    const slots = createCoreSlots(1);
    let held = 0;
    let most = 0;
    const cores = (): CoreSlots => {
      const requests = new Map<number, () => void>();
      let nextId = 0;
      const connection = slots.connect(({ id }) => requests.get(id)?.());
      return {
        acquire: () =>
          new Promise((resolve) => {
            const id = nextId++;
            requests.set(id, () => {
              most = Math.max(most, ++held);
              resolve(() => {
                held -= 1;
                connection.receive({ slot: "release", id });
              });
            });
            connection.receive({ slot: "acquire", id });
          }),
      };
    };
    open({ workers: 1, cores: cores() });
    const other = create({ workers: 2, cores: cores() });
    try {
      const ends = await Promise.all(Array.from({ length: 200 }, (_, i) => run("echo", i % 2 === 0 ? pool : other)));
      expect(ends.every(({ end }) => end === "done")).to.equal(true);
      // A process that dies gives its slot back, and so does one that is not needed.
      await eventually(() => held === 0);
      const [last] = (await Promise.all([run("echo")])) as { response: Response }[];
      const victim = run("hang");
      const behind = run("echo", other);
      await eventually(() => held === 1);
      process.kill(last?.response.pid ?? 0, "SIGKILL");
      expect((await victim).end).to.equal("crashed");
      expect((await behind).end).to.equal("done");
      await eventually(() => held === 0);
      expect(most).to.equal(1);
    } finally {
      await other.close();
    }
  });

  it("ends its processes when it is closed before they are ready", async () => {
    open({ workers: 2 });
    const task = run("echo").catch((reason: Error) => reason.message);
    await pool.close();
    expect(await task).to.equal("The worker pool is closed.");
  });
});

describe("the HTML engine's process", () => {
  it("sends all of an answer before it begins with the next page", async () => {
    const pool = createWorkerPool<{ document: HtmlDocument }, object>({
      module: HTML_WORKER,
      execArgv: [],
      workers: 1,
      timeoutMs: 100_000,
      recycle: { after: Number.POSITIVE_INFINITY, cost: () => 0 },
      log: silent,
    });
    const check = (body: string) => {
      const source = `<!DOCTYPE html><html lang="en"><title>t</title><body>${body}</body></html>`;
      const document = { url: "https://a/", source, contentType: "text/html" };
      return pool.run({ document }, new AbortController().signal);
    };
    // A response of megabytes does not fit into a pipe. The page behind it is short, so that its request arrives at once.
    const long = check("<p foo=1 id=a></p>".repeat(2_000));
    const behind = check("<i>".repeat(15_000));
    expect((await long).end).to.equal("done");
    const [worker] = await childrenOf(process.pid, "html/html-validate-worker");
    if (!worker) throw new Error("The pool has no worker process.");
    process.kill(worker.pid, "SIGKILL");
    expect((await behind).end).to.equal("crashed");
    await pool.close();
  });
});
