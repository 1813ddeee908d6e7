import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { type Kysely, type KyselyPlugin, type QueryId, sql } from "kysely";
import { insertBasicAuth } from "../../../src/database/accounts/basic-auths.ts";
import { insertPerson } from "../../../src/database/accounts/people.ts";
import { changeReceiver, insertReceiver, rotateSecret } from "../../../src/database/receivers/receivers.ts";
import { setHookSecret } from "../../../src/database/schedules/schedules.ts";
import type { Database } from "../../../src/database/tables.ts";
import { encryptedColumns, encryptedValues } from "../../../src/domain/accounts/encrypted-values.ts";
import { createEncryptor, type Encryptor, isSigned, keyIdOfSecret } from "../../../src/domain/accounts/encryption.ts";
import { addressOfCode, unsubscribeCode } from "../../../src/domain/notifications/unsubscribe.ts";
import { openEncryptor } from "../../../src/main/wiring/secret-key.ts";
import { rotateSecretKey } from "../../../src/transactions/rotate-secret-key.ts";
import { insertAccount } from "../../support/builders.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually, limitOf } from "../../support/wait.ts";

const [oldKey, newKey, strangeKey] = ["the old key of this test", "the new key of this test", "a key of nobody's here"];
/** A program of the fleet that does not have the new key as its own yet, and one that has. */
const early = createEncryptor(oldKey, { secrets: [newKey] });
const late = createEncryptor(newKey, { secrets: [oldKey] });
const now = new Date("2026-11-30T12:00:00Z");

describe("the key that encrypts secrets", () => {
  let database: TestDatabase;
  let db: Kysely<Database>;
  let accountId: string;
  let receiverId: string;
  let authId: string;

  before(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  after(() => database.drop());

  /** One of everything that is encrypted, with the old key. */
  beforeEach(async () => {
    await emptyDatabase(db);
    await db.deleteFrom("secret_keys").execute();
    await openEncryptor(db, { secretKey: oldKey, furtherSecretKey: undefined });
    accountId = await insertAccount(db);
    const headers = [{ name: "x-key", value: "header" }];
    const signIn = { steps: [] } as never;
    const owner = { accountId, guestToken: null };
    const credentials = { host: "shop.example.org", username: "ada", password: "pass", headers, signIn };
    authId = (await insertBasicAuth(db, early, owner, credentials)).id;
    const scheduleId = randomUUID();
    const named = {
      namespace: "default",
      name: "shop",
      uid: randomUUID(),
      spec: "{}",
      starting_url: "https://a.example/",
    };
    await db
      .insertInto("schedules")
      .values({ id: scheduleId, account_id: accountId, ...named })
      .execute();
    await setHookSecret(db, early, scheduleId, { ifMissing: false });
    receiverId = (await insertReceiver(db, early, accountId, { ...receiver, url: "https://hooks.example.org/1" }, now))
      .id;
    await rotateSecret(db, early, receiverId, now);
    const person = await insertPerson(db, { accountId, name: "Ada", mail: "ada@example.org", role: "owner" });
    const totp_secret = early.encrypt("JBSWY3DPEHPK3PXP", encryptedValues.people.totp_secret(person));
    await db.updateTable("people").set({ totp_secret }).where("id", "=", person).execute();
  });

  const receiver: Parameters<typeof insertReceiver>[3] = {
    ...{ kind: "webhook", name: "Tickets", url: null, mail_addresses: [], events: ["issues.new"] },
    ...{ site_urls: [], tags: [], digest: "none", time_zone: "UTC" },
  };
  const values = async () => {
    const found: { name: string; value: Buffer; purpose: string; where: [string, string, string] }[] = [];
    for (const { table, column, purpose } of encryptedColumns) {
      const { rows } = await sql<{ id: string; value: Buffer }>`
        select id::text, ${sql.ref(column)} as value from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(
        db,
      );
      for (const { id, value } of rows)
        found.push({ name: `${table}.${column} ${id}`, value, purpose: purpose(id), where: [table, column, id] });
    }
    return found;
  };
  /** All secrets, as somebody with these keys reads them. */
  const read = async (encryptor: Encryptor) =>
    Object.fromEntries((await values()).map(({ name, value, purpose }) => [name, encryptor.decrypt(value, purpose)]));
  const withoutKeys = (secrets: Record<string, string | undefined>) =>
    Object.fromEntries(Object.entries(secrets).filter(([name]) => !name.startsWith("secret_keys")));
  const options = { key: newKey, oldKey, keepsAddresses: true, now: () => now };
  const rotate = (given = {}, on: Kysely<Database> = db) => rotateSecretKey(on, { ...options, ...given });
  const refusal = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => "done",
      (error: Error) => error.message,
    );

  it("is replaced: all that the old one encrypted opens with the new one alone, and nothing else is changed", async () => {
    const secrets = await read(early);
    expect(Object.values(secrets))
      .to.have.length(9 - 1)
      .and.not.include(undefined);
    const rows = () => db.selectFrom("basic_auths").select(["host", "updated_at", "header_names"]).execute();
    const unchanged = await rows();
    expect(await rotate()).to.deep.equal({ rewritten: 8, unreadable: [] });
    expect(withoutKeys(await read(createEncryptor(newKey)))).to.deep.equal(secrets);
    expect(Object.values(await read(createEncryptor(oldKey))).filter((text) => text !== undefined)).to.deep.equal([]);
    expect(await rows()).to.deep.equal(unchanged);
    expect(await rotate()).to.deep.equal({ rewritten: 0, unreadable: [] });
    const entries = await db.selectFrom("audit_entries").selectAll().execute();
    expect(entries.map(({ account_id, who_name, verb }) => [account_id, who_name, verb])).to.deep.equal([
      [accountId, "site-validator admin", "replaced the encryption key"],
    ]);
    expect(JSON.stringify(entries)).to.not.include(newKey).and.not.include(oldKey);
  });

  it("loses nothing when the command is killed before or after any of its statements, and is continued by the next", async function () {
    this.timeout(limitOf(60));
    const secrets = await read(early);
    const start = await values();
    let statements = 0;
    for (const moment of ["before", "after"] as const)
      for (let killed = true, nth = 1; killed; nth += 1) {
        await db.updateTable("secret_keys").set({ replaced_at: null, signing_key_encrypted: null }).execute();
        await db.deleteFrom("secret_keys").where("id", "=", keyIdOfSecret(newKey)).execute();
        for (const { value, where } of start) await store(where, value);
        const end = await refusal(rotate({}, db.withPlugin(killing(nth, moment))));
        killed = end === "killed";
        if (!killed) expect(end).to.equal("done");
        // Programs with both keys, whichever is their own, read all of it.
        for (const one of [early, late])
          expect(withoutKeys(await read(one)), `${moment} ${nth}`).to.deep.equal(secrets);
        await rotate();
        expect(withoutKeys(await read(createEncryptor(newKey))), `${moment} ${nth}`).to.deep.equal(secrets);
        statements = nth;
      }
    expect(statements).to.be.greaterThan(25);
  });

  it("is replaced while programs with either key store and read, and what they stored meanwhile is written anew, too", async () => {
    let changes = 0;
    const fleet = afterReads(async () => {
      if (changes >= 40) return;
      const [writer, reader] = changes % 2 === 0 ? [early, late] : [late, early];
      changes += 1;
      await changeReceiver(
        db,
        writer,
        { id: receiverId, kind: "webhook" },
        { url: `https://hooks.example.org/${changes}` },
      );
      await rotateSecret(db, writer, receiverId, now);
      expect(Object.values(await read(reader))).to.not.include(undefined);
    });
    const { unreadable } = await rotate({}, db.withPlugin(fleet)).catch((error) => {
      // The one that has the old key as its own still stores after that was replaced.
      expect(error.message).to.match(/SECRET_KEY of this program was replaced/);
      changes = 40;
      return rotate();
    });
    expect(unreadable).to.deep.equal([]);
    expect(changes).to.be.greaterThan(8);
    const secrets = await read(createEncryptor(newKey));
    expect(Object.values(secrets)).to.not.include(undefined);
    expect(secrets[`receivers.url_encrypted ${receiverId}`]).to.match(/hooks\.example\.org\/\d+$/);
  });

  it("refuses what a program would store with a replaced key, and waits for what is being stored with it", async () => {
    let commit = () => {};
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let stored = () => {};
    const isStored = new Promise<void>((resolve) => {
      stored = resolve;
    });
    const change = (on: Kysely<Database>, url: string) =>
      changeReceiver(on, early, { id: receiverId, kind: "webhook" }, { url });
    const [, other] = await Promise.all([
      db.transaction().execute(async (trx) => {
        await insertReceiver(trx, early, accountId, { ...receiver, url: "https://hooks.example.org/late" }, now);
        stored();
        await committed;
      }),
      isStored.then(() => {
        const rotation = rotate();
        return { rotation };
      }),
      isStored
        .then(() =>
          eventually(
            async () =>
              (await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(db)).rows.length > 0,
          ),
        )
        .then(() => commit()),
    ]);
    expect((await other.rotation).unreadable).to.deep.equal([]);
    const texts = Object.values(await read(createEncryptor(newKey)));
    expect(texts).to.include("https://hooks.example.org/late").and.not.include(undefined);
    const said = "The SECRET_KEY of this program was replaced. Restart it with the one that came after.";
    expect(await refusal(change(db, "https://hooks.example.org/lost"))).to.include(said);
    const auth = { host: "a.example", username: "a", password: "b" };
    expect(await refusal(insertBasicAuth(db, early, { accountId, guestToken: null }, auth))).to.include(said);
    expect(Object.values(await read(createEncryptor(newKey)))).to.deep.equal(texts);
    expect(await refusal(openEncryptor(db, { secretKey: oldKey, furtherSecretKey: newKey }))).to.match(
      /^SECRET_KEY was replaced on 2026-11-30T12:00:00.000Z.*Set it to the key that came after it/,
    );
    // What has no secret in it can be changed, whatever the program's key is.
    await changeReceiver(db, early, { id: receiverId, kind: "webhook" }, { name: "Other" });
  });

  it("stays as it is when the old key that is given is a wrong one, or none", async () => {
    const start = await values();
    expect(await refusal(rotate({ oldKey: strangeKey }))).to.match(/so it is not the old key. Nothing was changed/);
    expect(await refusal(rotate({ key: oldKey }))).to.match(/FURTHER_SECRET_KEY is the same key as SECRET_KEY/);
    // Given the wrong way round, while programs know the new key already and none has it as its own.
    expect(await refusal(rotate({ key: oldKey, oldKey: newKey }))).to.match(/SECRET_KEY must be the new key/);
    expect(await values()).to.deep.equal(start);
    expect(await db.selectFrom("audit_entries").selectAll().execute()).to.deep.equal([]);
  });

  it("names values that neither key opens, leaves them as they are, and writes all others anew", async () => {
    const purpose = encryptedValues.basic_auths.headers_encrypted(authId);
    const strange = createEncryptor(strangeKey).encrypt("strange", purpose);
    await store(["basic_auths", "headers_encrypted", authId], strange);
    const broken = early.encrypt("moved here", "another purpose");
    await store(["receivers", "url_encrypted", receiverId], broken);
    const { rewritten, unreadable } = await rotate();
    expect(rewritten).to.equal(6);
    const of = { account_id: accountId };
    expect(unreadable).to.deep.equal([
      {
        ...of,
        table: "basic_auths",
        column: "headers_encrypted",
        id: authId,
        name: "shop.example.org",
        key: keyIdOfSecret(strangeKey),
      },
      {
        ...of,
        table: "receivers",
        column: "url_encrypted",
        id: receiverId,
        name: "Tickets",
        key: keyIdOfSecret(oldKey),
      },
    ]);
    const left = (await values()).filter(
      ({ value }) => createEncryptor(newKey).keyId !== value.subarray(0, 4).toString("hex"),
    );
    expect(left.map(({ value }) => value)).to.deep.equal([strange, broken]);
  });

  it("leaves addresses valid that the old one has signed, through several changes, unless these are to end", async () => {
    const address = "ada@example.org";
    const code = unsubscribeCode(early, receiverId, address);
    const [badge, third] = [early.sign("badge schedule 1"), "the third key of this test"];
    await rotate();
    const opened = async (secretKey: string) => {
      const encryptor = await openEncryptor(db, { secretKey, furtherSecretKey: undefined });
      if (!encryptor) throw new Error("no key");
      return [isSigned(encryptor, "badge schedule 1", badge), addressOfCode(encryptor, receiverId, code)];
    };
    expect(await opened(newKey)).to.deep.equal([true, address]);
    await rotateSecretKey(db, { ...options, key: third, oldKey: newKey });
    expect(await opened(third)).to.deep.equal([true, address]);
    await rotateSecretKey(db, { ...options, key: "the fourth key of this test", oldKey: third, keepsAddresses: false });
    expect(await opened("the fourth key of this test")).to.deep.equal([false, undefined]);
  });

  it("is replaced back, if somebody wants to", async () => {
    const secrets = await read(early);
    await rotate();
    // Or whoever has given the two the wrong way round would undo it.
    expect(await refusal(rotate({ key: oldKey, oldKey: newKey }))).to.include("the wrong way round");
    await rotate({ key: oldKey, oldKey: newKey, goesBack: true });
    expect(withoutKeys(await read(createEncryptor(oldKey)))).to.deep.equal(secrets);
    const now = await openEncryptor(db, { secretKey: oldKey, furtherSecretKey: undefined });
    expect(now?.keyId).to.equal(keyIdOfSecret(oldKey));
  });

  it("is replaced by the command, which reads both keys from its environment and says what is over", async function () {
    this.timeout(limitOf(60));
    const entry = path.resolve("src/main/index.ts");
    const run = (keys: Record<string, string>) =>
      promisify(execFile)(process.execPath, [entry, "admin", "secret-key", "rotate"], {
        env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: "/nonexistent", SECRET_KEY: "", ...keys },
      }).catch((error) => error);
    const incomplete = await run({ FURTHER_SECRET_KEY: oldKey });
    expect([incomplete.code, incomplete.stderr.trim()]).to.deep.equal([
      2,
      "SECRET_KEY is not set. Set it to the new key; nothing was changed.",
    ]);
    const done = await run({ SECRET_KEY: newKey, FURTHER_SECRET_KEY: oldKey });
    expect(JSON.parse(done.stdout)).to.deep.equal({
      rewritten: 8,
      unreadable: [],
      old_key_needed: false,
      done: "The old key is no longer needed: remove FURTHER_SECRET_KEY. Backups of before still need it.",
    });
  });

  it("is known of everything that is stored encrypted, and the database holds all of it to that", async () => {
    const { rows } = await sql<{ column: string }>`
      select table_name || '.' || column_name as column from information_schema.columns
      where table_schema = current_schema() and data_type = 'bytea' and table_name <> 'site_sessions'
        and (column_name like '%encrypted' or column_name like '%\_secret')
      order by 1`.execute(db);
    expect(rows.map(({ column }) => column)).to.deep.equal(
      encryptedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
    );
    const guards = await sql<{ table: string }>`
      select distinct tgrelid::regclass::text as table from pg_trigger where tgname = 'refuse_replaced_key' order by 1`.execute(
      db,
    );
    expect(guards.rows.map(({ table }) => table)).to.deep.equal(Object.keys(encryptedValues).sort());
  });

  async function store([table, column, id]: [string, string, string], value: Buffer): Promise<void> {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where id::text = ${id}`.execute(db);
  }
});

/** Ends the program at its nth statement, before the statement or after it. */
function killing(nth: number, moment: "before" | "after"): KyselyPlugin {
  let count = 0;
  const isOver = () => {
    if (count >= nth) throw new Error("killed");
  };
  return {
    transformQuery({ node }) {
      count += 1;
      if (moment === "before") isOver();
      return node;
    },
    async transformResult({ result }) {
      if (moment === "after") isOver();
      return result;
    },
  };
}

/** Does something after each statement that looks for values to write anew, before the next one. */
function afterReads(work: () => Promise<void>): KyselyPlugin {
  const reads = new Set<QueryId>();
  return {
    transformQuery({ node, queryId }) {
      if (JSON.stringify(node).includes("substr")) reads.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (reads.has(queryId)) await work();
      return result;
    },
  };
}
