import { expect } from "chai";
import { sql } from "kysely";
import { decryptBasicAuth } from "../../../src/database/accounts/basic-auths.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

const encryptor = createEncryptor("a secret of this test");
const CANARY = "c4n4ry-1n-4-h34d3r";
const headers = [
  { name: "X-Preview", value: CANARY },
  { name: "Cookie", value: `sid=${CANARY}; theme=dark` },
];
const login = { username: "ada", password: "correct horse" };

describe("stored credentials with headers", () => {
  let database: TestDatabase;
  let api: TestApi;
  let accountId: string;
  let call: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor });
    const owner = await accountWithToken(database);
    accountId = owner.accountId;
    call = api.as(owner.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const store = async (attributes: object) => {
    const made = await call("POST", "/basic_auths", { attributes: { host: "staging.example.com", ...attributes } });
    expect(made.status, made.text).to.equal(201);
    return made.json.data;
  };
  const opened = async (id: string) =>
    decryptBasicAuth(database.db, encryptor, await insertReport(database.db, { accountId, spec: { basicAuthId: id } }));
  const errorsOf = async (method: string, path: string, attributes: object) => {
    const { status, json, text } = await call(method, path, { attributes });
    expect(text, "an error repeats a secret").not.to.match(/c4n4ry|correct horse/);
    return status === 422 ? json.errors.map(({ code, source }) => `${code} ${source?.pointer?.slice(17)}`) : status;
  };
  const change = (id: string, attributes: object) => errorsOf("PATCH", `/basic_auths/${id}`, attributes);

  it("are shown with the names of the headers, and without their values", async () => {
    const made = await store({ headers });
    const shown = { username: null, headers: [{ name: "X-Preview" }, { name: "Cookie" }] };
    expect(made.attributes).to.deep.include(shown);
    const read = [await call("GET", `/basic_auths/${made.id}`), await call("GET", "/basic_auths")];
    for (const { text } of read) expect(text).to.include("X-Preview").and.not.include("c4n4ry");
    expect(JSON.stringify(api.logged)).not.to.include("c4n4ry");
    const row = await database.db
      .selectFrom("basic_auths")
      .selectAll()
      .where("id", "=", made.id)
      .executeTakeFirstOrThrow();
    expect(row.headers_encrypted?.toString("latin1")).not.to.include("c4n4ry");
    expect(await opened(made.id)).to.deep.equal({ host: "staging.example.com", headers });
  });

  it("may have a user, too", async () => {
    const { id, attributes } = await store({ ...login, headers });
    expect(attributes).to.deep.include({ username: "ada" });
    expect(await opened(id)).to.deep.equal({ host: "staging.example.com", ...login, headers });
  });

  it("cannot have their encrypted headers moved to other credentials, or to the place of the password", async () => {
    const [one, other] = [await store({ headers }), await store({ headers })];
    const { headers_encrypted } = await database.db
      .selectFrom("basic_auths")
      .select("headers_encrypted")
      .where("id", "=", one.id)
      .executeTakeFirstOrThrow();
    if (!headers_encrypted) throw new Error("There are no headers.");
    const set = (values: object) =>
      database.db.updateTable("basic_auths").set(values).where("id", "=", other.id).execute();
    await set({ headers_encrypted });
    expect(await opened(other.id)).to.equal(undefined);
    await database.db
      .updateTable("basic_auths")
      .set({ password_encrypted: headers_encrypted, username: "x" })
      .where("id", "=", one.id)
      .execute();
    expect(await opened(one.id)).to.equal(undefined);
  });

  for (const [what, attributes, expected] of [
    ["neither a user nor headers", {}, ["required username", "required password"]],
    ["an empty list", { headers: [] }, ["required username", "required password"]],
    ["a user without a password", { headers, username: "ada" }, ["required password"]],
    ["a password without a user", { headers, password: "x" }, ["required username"]],
    ["headers as a text", { headers: `Cookie: ${CANARY}` }, ["invalid_type headers"]],
    ["headers as texts", { headers: [`Cookie: ${CANARY}`] }, ["invalid_type headers/0"]],
    ["a header without a value", { headers: [{ name: "Cookie" }] }, ["required headers/0/value"]],
    ["a line for a name", { headers: [{ name: `X: ${CANARY}`, value: "x" }] }, ["invalid_format headers/0/name"]],
    ["a line break", { headers: [{ name: "X", value: `${CANARY}\r\nY: z` }] }, ["invalid_format headers/0/value"]],
    ["a value that is too long", { headers: [{ name: "X", value: CANARY.repeat(500) }] }, ["too_long headers/0/value"]],
    ["headers that are too long", { headers: [{ name: "X", value: "x".repeat(7_000) }] }, ["too_long headers"]],
    [
      "a header of the connection",
      { headers: [...headers, { name: "host", value: "x" }] },
      ["not_allowed headers/2/name"],
    ],
    ["a header twice", { headers: [headers[0], headers[0]] }, ["inconsistent headers/1/name"]],
    ["no cookies", { headers: [{ name: "Cookie", value: CANARY }] }, ["invalid_format headers/0/value"]],
    [
      "a header of the user's",
      { ...login, headers: [{ name: "Authorization", value: CANARY }] },
      ["inconsistent headers/0/name"],
    ],
  ] as const)
    it(`are refused with ${what}`, async () => {
      const given = { host: "staging.example.com", ...attributes };
      expect(await errorsOf("POST", "/basic_auths", given)).to.deep.equal(expected);
    });

  it("are refused with a message that names the header and what is allowed", async () => {
    const attributes = { host: "example.com", headers: [{ name: "Transfer-Encoding", value: "chunked" }] };
    const { json } = await call("POST", "/basic_auths", { attributes });
    expect(json.errors[0]?.detail).to.equal(
      "headers.0: Transfer-Encoding cannot be set: it belongs to the connection. Allowed are other headers, such as Cookie, Authorization and X-Preview.",
    );
  });

  it("go to another host only with all of their secrets given anew", async () => {
    const { id } = await store({ ...login, headers });
    const host = "elsewhere.example.com";
    expect(await change(id, { host })).to.deep.equal(["inconsistent host"]);
    expect(await change(id, { host, password: "x" })).to.deep.equal(["inconsistent host"]);
    expect(await change(id, { host, headers })).to.deep.equal(["inconsistent host"]);
    expect(await change(id, { host, username: null })).to.deep.equal(["inconsistent host"]);
    expect((await opened(id))?.host).to.equal("staging.example.com");
    expect(await change(id, { host, password: "x", headers: [] })).to.equal(200);
    expect(await opened(id)).to.deep.equal({ host, username: "ada", password: "x" });
  });

  it("change in part, and are never left without anything", async () => {
    const { id } = await store({ headers });
    expect(await change(id, { username: "ada" })).to.deep.equal(["required password"]);
    expect(await change(id, { password: "x" })).to.deep.equal(["inconsistent password"]);
    expect(await change(id, { headers: [] })).to.deep.equal(["inconsistent headers"]);
    expect(await change(id, login)).to.equal(200);
    expect(await opened(id)).to.deep.include({ ...login, headers });
    expect(await change(id, { headers: [{ name: "Authorization", value: "Bearer x" }] })).to.deep.equal([
      "inconsistent headers/0/name",
    ]);
    expect(await change(id, { username: null })).to.equal(200);
    expect(await change(id, { headers: [{ name: "Authorization", value: "Bearer x" }] })).to.equal(200);
    expect(await change(id, login)).to.deep.equal(["inconsistent username"]);
    expect(await opened(id)).to.deep.equal({
      host: "staging.example.com",
      headers: [{ name: "Authorization", value: "Bearer x" }],
    });
  });

  it("do not go to another host that was allowed before they had headers", async () => {
    const { id } = await store(login);
    const host = "elsewhere.example.com";
    let changing: ReturnType<typeof change> | undefined;
    await database.db.transaction().execute(async (trx) => {
      await trx
        .updateTable("basic_auths")
        .set({ header_names: ["X-Preview"], headers_encrypted: encryptor.encrypt("[]", `basic_auth headers ${id}`) })
        .where("id", "=", id)
        .execute();
      changing = change(id, { host, username: "eve", password: "x" });
      await eventually(async () => {
        const { rows } = await sql<{ waits: boolean }>`
          select exists (select from pg_locks where not granted) as waits`.execute(database.db);
        return rows[0]?.waits;
      });
    });
    expect(await changing).to.deep.equal(["inconsistent host"]);
  });
});
