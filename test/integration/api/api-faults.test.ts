import { expect } from "chai";
import { sql } from "kysely";
import { type Cluster, ClusterError } from "../../../src/cluster/port.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { accountWithToken, type Reply, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { eventually } from "../../support/wait.ts";

const attributes = { starting_url: "https://example.com/" };

describe("the API when things fail", () => {
  let database: TestDatabase;
  let account: { accountId: string; token: string };

  before(async () => {
    database = await createTestDatabase();
    account = await accountWithToken(database);
  });
  after(() => database.drop());

  function expectUnavailable(reply: Reply): void {
    expect([reply.status, reply.json.errors?.[0]?.code], reply.text).to.deep.equal([503, "unavailable"]);
    expect(Number(reply.headers.get("retry-after"))).to.be.greaterThan(0);
    expect(reply.text).not.to.match(/ECONN|postgres|127\.0\.0\.1/);
  }

  describe("the database gone and back", () => {
    let proxy: FaultProxy;
    let db: TestDatabase["db"];
    let api: TestApi;

    before(async () => {
      proxy = await faultProxy(database.url);
      db = connect({ url: proxy.url, applicationName: "cut", maxConnections: 3, onIdleError: () => {} });
      api = await startTestApi({ ...database, db, url: proxy.url });
    });
    after(async () => {
      await api.close();
      await db.destroy();
      await proxy.cut();
    });

    it("answers 503 with Retry-After while it is gone, stays alive, and works again", async () => {
      const call = api.as(account.token);
      const probe = (path: string) => api.as(undefined)("GET", path);
      expect((await call("GET", "/reports")).status).to.equal(200);
      await eventually(async () => (await probe("//readyz")).status === 200);
      await proxy.cut();
      expectUnavailable(await call("GET", "/reports"));
      expectUnavailable(await call("POST", "/reports", { attributes, headers: { "idempotency-key": "cut" } }));
      expect((await probe("//healthz")).status).to.equal(200);
      // All replicas lack it at once: taken out, they could not even say 503 with Retry-After.
      expect((await probe("//readyz")).status).to.equal(200);
      await proxy.mend();
      await eventually(async () => (await call("GET", "/reports")).status === 200);
      expect((await call("POST", "/reports", { attributes, headers: { "idempotency-key": "cut" } })).status).to.equal(
        201,
      );
      await eventually(async () => (await probe("//readyz")).status === 200);
    });

    it("is not ready before it has reached its database for the first time", async () => {
      await proxy.cut();
      for (const databaseUrl of [undefined, proxy.url]) {
        const starting = await startTestApi({ ...database, db, url: proxy.url }, { databaseUrl });
        const unready = await starting.as(undefined)("GET", "//readyz");
        expect([unready.status, unready.headers.get("retry-after")]).to.deep.equal([503, "5"]);
        expect((await starting.as(undefined)("GET", "//healthz")).status).to.equal(200);
        await proxy.mend();
        await eventually(async () => (await starting.as(undefined)("GET", "//readyz")).status === 200);
        await proxy.cut();
        await starting.close();
      }
      await proxy.mend();
    });

    it("answers 503 when its connection is ended in the middle of a query", async () => {
      const id = await insertReport(database.db, { accountId: account.accountId });
      const reply = await database.db.transaction().execute(async (trx) => {
        await sql`lock table reports in access exclusive mode`.execute(trx);
        const pending = api.as(account.token)("GET", `/reports/${id}`);
        await eventually(async () => {
          const { rows } = await sql<{ pid: number }>`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'cut' and wait_event_type = 'Lock'
          `.execute(database.db);
          return rows.length === 1;
        });
        return pending;
      });
      expectUnavailable(reply);
      await eventually(async () => (await api.as(account.token)("GET", `/reports/${id}`)).status === 200);
    });

    it("survives the end of connections that it holds between two statements", async () => {
      const cutting = await startTestApi(
        { ...database, db, url: proxy.url },
        {
          cluster: {
            ...api.deps.cluster,
            create: async (object) => {
              const created = await api.deps.cluster.create(object);
              // Including the connection that holds the idempotency key's lock.
              await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut'`.execute(
                database.db,
              );
              return created;
            },
          },
        },
      );
      try {
        const headers = { "idempotency-key": "held" };
        const reply = await cutting.as(account.token)("POST", "/reports", { attributes, headers });
        expect(reply.status, reply.text).to.be.oneOf([201, 503]);
        await eventually(async () => {
          const again = await api.as(account.token)("POST", "/reports", { attributes, headers });
          expect(again.status, again.text).to.be.oneOf([201, 503]);
          return again.status === 201;
        });
      } finally {
        await cutting.close();
      }
    });

    it("survives the end of all its idle connections", async () => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut'`.execute(
        database.db,
      );
      await eventually(async () => (await api.as(account.token)("GET", "/reports")).status === 200);
    });
  });

  it("answers 503 while the cluster is away", async () => {
    const api = await startTestApi(database, {
      cluster: failing({ create: () => Promise.reject(new ClusterError("Unavailable", "no API server")) }),
    });
    try {
      expectUnavailable(await api.as(account.token)("POST", "/reports", { attributes }));
    } finally {
      await api.close();
    }
  });

  it("finds the report that an interrupted POST created, under the same idempotency key", async () => {
    const headers = { "idempotency-key": "cut-off" };
    const whole = await startTestApi(database);
    // The process ends right after the resource is created: there is neither a row nor a response.
    const dying = await startTestApi(database, {
      cluster: {
        ...whole.deps.cluster,
        create: async (object) => {
          await whole.deps.cluster.create(object);
          throw new Error("killed");
        },
      },
    });
    try {
      const before = (await whole.deps.cluster.list("Report")).items.length;
      expect((await dying.as(account.token)("POST", "/reports", { attributes, headers })).status).to.equal(500);
      const other = { attributes: { starting_url: "https://example.com/other" }, headers };
      expect((await whole.as(account.token)("POST", "/reports", other)).status).to.equal(422);
      const reply = await whole.as(account.token)("POST", "/reports", { attributes, headers });
      expect(reply.status, reply.text).to.equal(201);
      const { items } = await whole.deps.cluster.list("Report");
      expect(items).to.have.length(before + 1);
      expect(items.some(({ metadata }) => metadata.uid === reply.json.data.id)).to.equal(true);
    } finally {
      await dying.close();
      await whole.close();
    }
  });

  it("finds that report even if it has finished, lost its resource and used up the credits", async () => {
    const headers = { "idempotency-key": "cut-off-late" };
    const { token, accountId } = await accountWithToken(database, { monthly_credits: 1 });
    const api = await startTestApi(database);
    try {
      const first = await api.as(token)("POST", "/reports", { attributes, headers });
      // As if the process had ended before it could store the response.
      await database.db
        .updateTable("idempotency_keys")
        .set({ status: null })
        .where("key", "=", "cut-off-late")
        .execute();
      for (const { metadata } of (await api.deps.cluster.list("Report")).items)
        await api.deps.cluster.delete("Report", metadata.namespace, metadata.name);
      const month = `${new Date().toISOString().slice(0, 7)}-01`;
      await database.db.insertInto("credit_usage").values({ account_id: accountId, month, charged: 1 }).execute();
      const again = await api.as(token)("POST", "/reports", { attributes, headers });
      expect([again.status, again.json.data?.id], again.text).to.deep.equal([201, first.json.data.id]);
    } finally {
      await api.close();
    }
  });

  it("shares and deletes a report whose resource is gone, and never touches another one of its name", async () => {
    const api = await startTestApi(database);
    const { cluster } = api.deps;
    const call = api.as(account.token);
    try {
      const { id } = (await call("POST", "/reports", { attributes })).json.data;
      const resource = (await cluster.list("Report")).items.find(({ metadata }) => metadata.uid === id);
      if (!resource) throw new Error("no resource");
      const { name, namespace } = resource.metadata;
      await cluster.delete("Report", namespace, name);
      await cluster.create<"Report">({ ...resource, metadata: { name, namespace } });
      expect(
        (await call("PATCH", `/reports/${id}`, { attributes: { shared: true } })).json.data.attributes.shared,
      ).to.equal(true);
      expect((await call("DELETE", `/reports/${id}`)).status).to.equal(204);
      const namesake = await cluster.get("Report", namespace, name);
      expect(namesake?.spec.shared).to.equal(false);
      expect(namesake?.metadata.uid).not.to.equal(id);
    } finally {
      await api.close();
    }
  });

  it("shares a report although another writer interferes", async () => {
    const api = await startTestApi(database);
    const { cluster } = api.deps;
    let conflicts = 2;
    const contended = await startTestApi(database, {
      cluster: {
        ...cluster,
        update: async (object) => {
          if (conflicts > 0) {
            conflicts -= 1;
            throw new ClusterError("Conflict", "changed");
          }
          return cluster.update(object);
        },
      },
    });
    try {
      const { id } = (await api.as(account.token)("POST", "/reports", { attributes })).json.data;
      const reply = await contended.as(account.token)("PATCH", `/reports/${id}`, { attributes: { shared: true } });
      expect([reply.status, conflicts]).to.deep.equal([200, 0]);
    } finally {
      await contended.close();
      await api.close();
    }
  });

  describe("a report and a schedule in a namespace where the API has no rights any more", () => {
    let api: TestApi;
    let outside: TestApi;

    before(async () => {
      api = await startTestApi(database);
      const forbidden = () => Promise.reject(new ClusterError("Forbidden", "reports is forbidden"));
      outside = await startTestApi(database, {
        cluster: { ...api.deps.cluster, get: forbidden, update: forbidden, delete: forbidden },
      });
    });
    after(async () => {
      await outside.close();
      await api.close();
    });

    const make = async (what: "reports" | "schedules", more: object = {}) => {
      const reply = await api.as(account.token)("POST", `/${what}`, { attributes: { ...attributes, ...more } });
      expect(reply.status, reply.text).to.equal(201);
      return `/${what}/${reply.json.data.id}`;
    };

    it("let the report be unshared and deleted", async () => {
      const call = outside.as(account.token);
      const report = await make("reports", { shared: true });
      expect((await outside.as(undefined)("GET", report)).status).to.equal(200);
      const unshared = await call("PATCH", report, { attributes: { shared: false } });
      expect([unshared.status, unshared.json.data?.attributes.shared], unshared.text).to.deep.equal([200, false]);
      expect((await outside.as(undefined)("GET", report)).status).to.equal(401);
      // The API has its rights again, and nobody has changed the resource meanwhile.
      const cancelled = await api.as(account.token)("PATCH", report, { attributes: { cancelled: true } });
      expect([cancelled.status, cancelled.json.data?.attributes.shared], cancelled.text).to.deep.equal([200, false]);
      expect((await call("DELETE", report)).status).to.equal(204);
      expect((await call("GET", report)).status).to.equal(404);
    });

    it("let the schedule be deleted", async () => {
      const call = outside.as(account.token);
      const schedule = await make("schedules", { periodicity: null });
      expect((await call("DELETE", schedule)).status).to.equal(204);
      expect((await call("GET", schedule)).status).to.equal(404);
    });

    it("say why nothing else can be done with them", async () => {
      for (const [path, change] of [
        [await make("reports"), { cancelled: true }],
        [await make("schedules", { periodicity: null }), { active: false }],
      ] as const) {
        const reply = await outside.as(account.token)("PATCH", path, { attributes: change });
        expect([reply.status, reply.json.errors?.[0]?.code], reply.text).to.deep.equal([409, "out_of_reach"]);
      }
    });
  });

  it("answers 503 when other writers interfere with every attempt to change a resource", async () => {
    const api = await startTestApi(database);
    const contended = await startTestApi(database, {
      cluster: { ...api.deps.cluster, update: () => Promise.reject(new ClusterError("Conflict", "changed")) },
    });
    try {
      for (const [kind, change] of [
        ["reports", { shared: true }],
        ["schedules", { active: false }],
      ] as const) {
        const sent = kind === "schedules" ? { ...attributes, periodicity: null } : attributes;
        const { id } = (await api.as(account.token)("POST", `/${kind}`, { attributes: sent })).json.data;
        expectUnavailable(await contended.as(account.token)("PATCH", `/${kind}/${id}`, { attributes: change }));
      }
    } finally {
      await contended.close();
      await api.close();
    }
  });

  it("finishes running requests when it stops, and accepts no new ones", async () => {
    const api = await startTestApi(database);
    const id = await insertReport(database.db, { accountId: account.accountId });
    const { reply, closed } = await database.db.transaction().execute(async (trx) => {
      await sql`lock table reports in access exclusive mode`.execute(trx);
      const reply = api.as(account.token)("GET", `/reports/${id}`);
      await eventually(async () => {
        const { rows } =
          await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            database.db,
          );
        return rows.length === 1;
      });
      const closed = api.close();
      const refused = await api
        .as(account.token)("GET", "/reports")
        .then(
          () => "answered",
          () => "refused",
        );
      expect(refused).to.equal("refused");
      return { reply, closed };
    });
    expect((await reply).status).to.equal(200);
    await closed;
  });

  function failing(overrides: Partial<Cluster>): Cluster {
    const unused = () => Promise.reject(new Error("not used here"));
    return {
      get: unused,
      list: unused,
      // biome-ignore lint/correctness/useYield: it never gets that far
      async *watch() {
        throw new Error("not used here");
      },
      create: unused,
      update: unused,
      updateStatus: unused,
      delete: unused,
      record: unused,
      ...overrides,
    };
  }
});
