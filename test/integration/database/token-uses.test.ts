import { expect } from "chai";
import type { Kysely, KyselyPlugin } from "kysely";
import { storeUses } from "../../../src/database/accounts/token-uses.ts";
import { createToken, findPrincipal, findToken } from "../../../src/database/accounts/tokens.ts";
import type { Database } from "../../../src/database/tables.ts";
import { startTestApi } from "../../support/api.ts";
import { insertAccount } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const start = new Date("2026-11-26T23:58:30Z");
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

describe("uses of a token", () => {
  let database: TestDatabase;
  let id: string;
  let token: string;
  let writes: number;
  /** Two processes, whose statements that write uses are counted. */
  let processes: Kysely<Database>[];

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  beforeEach(async () => {
    writes = 0;
    processes = [database.db.withPlugin(counting()), database.db.withPlugin(counting())];
    const accountId = await insertAccount(database.db);
    ({ id, token } = await createToken(database.db, { accountId, name: "CI", scope: "read" }));
  });

  function counting(): KyselyPlugin {
    return {
      transformQuery({ node }) {
        if (JSON.stringify(node).includes("insert into token_uses")) writes += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
  }
  const use = (process: number, seconds: number, address = "192.0.2.40") =>
    findPrincipal(processes[process] as Kysely<Database>, token, at(seconds), address);
  const stored = async (now: Date) => {
    const row = await findToken(database.db, id, now);
    return { last: row?.last_used_at?.toISOString(), from: row?.last_address, requests: row?.recent_requests };
  };

  it("are counted without a write for each: one a minute, over all processes, with the last one's address", async () => {
    for (let second = 0; second < 60; second += 1) await use(second % 2, second);
    expect([writes, await stored(at(60))]).to.deep.equal([
      1,
      { last: at(0).toISOString(), from: "192.0.2.40", requests: 1 },
    ]);
    await use(0, 60, "2001:db8::17");
    expect(await stored(at(60))).to.deep.equal({ last: at(60).toISOString(), from: "2001:db8::17", requests: 31 });
    expect(writes).to.equal(2);
    // What the other one has is older, and counts, although it never was the first one within a minute.
    await storeUses(processes[1] as Kysely<Database>, at(90));
    expect(await stored(at(90))).to.deep.equal({ last: at(60).toISOString(), from: "2001:db8::17", requests: 61 });
    await storeUses(processes[1] as Kysely<Database>, at(150));
    expect(writes, "nothing waits").to.equal(3);
  });

  it("are all counted when they come at the same time", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => use(index % 2, 0)));
    for (const [index, process] of processes.entries()) await storeUses(process, at(61 * (index + 1)));
    expect((await stored(at(200))).requests).to.equal(40);
  });

  it("are stored when a process stops: also those of requests that end while it does", async () => {
    let stopsWithNext = false;
    let stopped: Promise<void> | undefined;
    const api = await startTestApi(database, {
      now: () => {
        // Before the request is counted.
        if (stopsWithNext) {
          stopsWithNext = false;
          stopped = api.close();
        }
        return new Date();
      },
    });
    const read = async () => (await api.as(token)("GET", "/sites")).status;
    expect([await read(), await read()]).to.deep.equal([200, 200]);
    expect((await stored(new Date())).requests).to.equal(1);
    stopsWithNext = true;
    expect(await read()).to.equal(200);
    await stopped;
    expect((await stored(new Date())).requests).to.equal(3);
  });

  it("are those of 30 days, and older ones are deleted", async () => {
    const day = 86_400;
    await use(0, 0);
    await use(0, 29 * day);
    expect((await stored(at(29 * day))).requests).to.equal(2);
    expect((await stored(at(30 * day))).requests).to.equal(1);
    await use(0, 30 * day);
    const rows = await database.db.selectFrom("token_uses").select("requests").where("token_id", "=", id).execute();
    expect(rows).to.have.length(2);
  });

  it("end with the token: what is not stored yet is forgotten", async () => {
    await use(0, 0);
    await use(0, 1);
    await database.db.deleteFrom("api_tokens").where("id", "=", id).execute();
    await storeUses(processes[0] as Kysely<Database>, at(100));
    await storeUses(processes[0] as Kysely<Database>, at(200));
    expect(writes).to.equal(2);
  });
});
