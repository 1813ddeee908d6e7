import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import pg from "pg";
import { createClient } from "../../../src/cli/client.ts";
import { readConfig } from "../../../src/config.ts";
import { type Service, startService } from "../../../src/main/wiring/service.ts";
import { accountWithToken } from "../../support/api.ts";
import { childrenOf } from "../../support/child-processes.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

describe("the service", () => {
  let database: TestDatabase;
  let folder: string;
  let service: Service | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(path.join(tmpdir(), "sv-service-"));
  });
  afterEach(async () => {
    await service?.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it("goes on when its connections are lost as it starts", async () => {
    const locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
    await locker.query("begin; lock table reports in access exclusive mode");
    const running = await start();
    const failed = running.failed.then((error) => Promise.reject(error));
    failed.catch(() => {});
    await eventually(async () => (await cutWaiting()) > 0);
    await locker.query("rollback");
    await locker.end();
    // Both the controller and the job runner watch the Jobs.
    await Promise.race([failed, eventually(async () => (await watchesOfJobs()) === 2)]);
    await eventually(async () => (await fetch(`${running.url}/readyz`)).status === 200);
  });

  it("starts processes for a report before its Jobs, and none beside others that work", async () => {
    const released = Promise.withResolvers<void>();
    const site = await serveSite({
      "/": async (_request: IncomingMessage, response: ServerResponse) => {
        await released.promise;
        response.writeHead(200, { "content-type": "text/html" }).end("<!DOCTYPE html><title>Here</title>");
      },
    });
    try {
      const { token } = await accountWithToken(database);
      const { url } = await start();
      const client = createClient({ base: url, token, signal: new AbortController().signal });
      const create = () => client.post<"report">("/reports", { starting_url: site.url, perform_html_checks: true });
      await create();
      const prestarted = async () => (await childrenOf(process.pid, "--prestarted")).map(({ pid }) => pid);
      const first = await eventually(async () => {
        const pids = await prestarted();
        return pids.length === 2 && pids;
      });
      // Nobody ends what a Job has taken.
      await eventually(async () => site.requests.length > 0);
      const { data } = await create();
      await eventually(async () => (await childrenOf(process.pid, data.id)).length > 0);
      expect(first).to.include.members(await prestarted());
      client.close();
    } finally {
      released.resolve();
      await site.close();
    }
  });

  async function start(): Promise<Service> {
    service = await startService({
      config: readConfig({
        PORT: "0",
        HOST: "127.0.0.1",
        DATA_DIR: folder,
        CACHE_DIR: folder,
        ALLOW_LOCALHOST: "true",
      }),
      databaseUrl: database.url,
      temp: folder,
      log: testLog,
      onJobLine: () => {},
      environment: process.env,
    });
    return service;
  }

  /** Ends the connections whose queries wait for the lock. @returns how many */
  async function cutWaiting(): Promise<number> {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
    return rows.length;
  }

  async function watchesOfJobs(): Promise<number> {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'site-validator watch Job'`.execute(database.db);
    return rows.length;
  }
});
