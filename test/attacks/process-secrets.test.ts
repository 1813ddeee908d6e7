import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { snapshot } from "../../src/bundle/build.js";
import { confinement } from "../../src/checker/processes/confine.ts";
import { startWorker } from "../../src/checker/processes/worker-process.ts";
import { jobToken } from "../../src/database/job-role.ts";
import { pageOf } from "../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { readProc } from "../support/read-proc.ts";
import { openSandbox, type Sandbox } from "../support/run-program.ts";
import { type Site, serveSite } from "../support/site.ts";
import { eventually } from "../support/wait.ts";
import { engineEscapes } from "./engine-escapes.ts";

const FIRST_TOKEN = "svt_the-token-of-the-first-account";
const SECRET_KEY = "a key that encrypts credentials";

describe("secrets of the service's processes", () => {
  let database: TestDatabase;
  let sandbox: Sandbox;
  let site: Site;
  const held: { end(text: string): void }[] = [];

  before(async () => {
    database = await createTestDatabase();
    sandbox = await openSandbox();
    site = await serveSite({ "/": pageOf("/held"), "/held": (_, response) => void held.push(response) });
  });
  after(async () => {
    await sandbox.close();
    await site.close();
    await database.drop();
  });

  it("are in no environment and no command line while a report runs", async () => {
    const program = sandbox.start(["standalone"], {
      ...{ DATABASE_URL: database.url, FIRST_TOKEN, SECRET_KEY, PORT: "0", LOG_LEVEL: "debug" },
      DATA_DIR: path.join(sandbox.folder, "data"),
    });
    const [, api = ""] = await eventually(() => /listens on (\S+)/.exec(program.stdout()) ?? undefined);
    const headers = { authorization: `Bearer ${FIRST_TOKEN}`, "content-type": "application/json" };
    const attributes = { starting_url: site.url, perform_a11y_checks: true, rate_limit: 25 };
    const body = JSON.stringify({ data: { attributes } });
    const created = await fetch(`${api}/api/v1/reports`, { method: "POST", headers, body });
    expect(created.status).to.equal(201);
    const { data } = (await created.json()) as { data: { id: string } };
    // The crawler waits for the held page, and the checkers for the crawler.
    const running = [/ crawler /, / --engine html /, /conformance-worker/, / --engine a11y /, /--type=renderer/];
    await eventually(() => {
      const commands = held.length > 0 ? sandbox.leftProcesses() : [];
      return running.every((kind) => commands.some((command) => kind.test(command)));
    });

    const [, login = ""] = /\/\/(\S+?)@/.exec(database.url) ?? [];
    const secrets = [login.split(":")[1] ?? "", FIRST_TOKEN, SECRET_KEY, await jobToken(database.db, data.id)];
    for (const { pid, command } of sandbox.processes()) {
      const environment = readProc(pid, "environ");
      for (const secret of [...secrets, "postgres://"])
        expect(`${command} ${environment}`.includes(secret), `${command}: ${secret}`).to.equal(false);
    }
    for (const response of held) response.end(pageOf());
  });

  it("cannot be reached by the debugger, which a signal opens", async () => {
    const program = sandbox.start(["standalone"], { PORT: "0", DATA_DIR: path.join(sandbox.folder, "other") });
    await eventually(() => /listens on/.test(program.stdout()));
    program.kill("SIGUSR1");
    program.kill("SIGTERM");
    expect(await program.ended).to.deep.include({ code: 0 });
    expect(program.stderr()).not.to.match(/Debugger/);
  });

  const captive = fileURLToPath(new URL("../support/programs/captive.ts", import.meta.url));
  type Outcome = { outcomes: string[]; compiled?: { folder?: string; wasLent: boolean } };

  /** What a process comes to that is confined as an HTML engine is, and tries all escapes. */
  async function tryEscapes(module: string): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const worker = startWorker<Outcome>(
      { module, execArgv: confinement([path.dirname(captive), import.meta.dirname]) },
      {
        onReady: () => worker.send({ id: 1 }),
        onMessage: resolve,
        onEnd: (how) => resolve({ outcomes: [how] }),
      },
    );
    const outcome = await promise;
    worker.kill();
    await worker.ended;
    return outcome;
  }

  const starts = {
    "and the process of an HTML engine": () => tryEscapes(captive),
    "and one that starts from a snapshot": async () => {
      const folder = await mkdtemp(path.join(tmpdir(), "sv-snapshot-"));
      const started = path.join(folder, "captive.js");
      try {
        const { draft, file } = await snapshot(await import("esbuild"), { module: captive, folder, started });
        await rename(draft, file);
        // Nothing else is there to start.
        expect(await readdir(folder)).to.have.lengthOf(1);
        return await tryEscapes(started);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
  for (const [start, outcomeOf] of Object.entries(starts))
    describe(start, () => {
      let outcomes: string[];
      let compiled: Outcome["compiled"];
      before(async () => {
        ({ outcomes, compiled } = await outcomeOf());
      });

      for (const [index, { name }] of engineEscapes.entries())
        it(`which cannot ${name}`, () => {
          expect(outcomes[index]).to.match(/^(ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|TypeError)$/);
        });

      it("which cannot store compiled code for other processes", () => {
        expect(compiled).to.have.property("wasLent", start === "and the process of an HTML engine");
        if (compiled?.folder === undefined) return;
        expect(path.dirname(path.dirname(compiled.folder))).to.equal(tmpdir());
        expect(existsSync(path.dirname(compiled.folder))).to.equal(false);
      });
    });
});
