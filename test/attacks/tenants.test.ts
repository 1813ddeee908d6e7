import { expect } from "chai";
import { createToken } from "../../src/database/accounts/tokens.ts";
import { createEncryptor } from "../../src/domain/accounts/encryption.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { insertReport } from "../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { oneOfEach, validBodies } from "../support/every-route.ts";
import { documentedOperations } from "../support/openapi.ts";

/** Who asks for what is not theirs. */
const strangers = [
  "another account",
  "another account's read token",
  "a guest of the same account",
  "a guest of another account",
  "nobody",
] as const;

/** Ids in addresses that belong to nobody, such as numbers that all reports have, or are credentials of their own. */
const ownerless = new Set([
  "device_id",
  "site_id",
  // The number of a success criterion.
  "criterion",
  "cause_id",
  "month",
  "share_secret",
  "secret",
  "badge",
  "guest_token",
  "step",
]);

/** Every operation whose address has the id of something that belongs to somebody. */
const operations = documentedOperations().filter(({ path }) =>
  [...path.matchAll(/\{(\w+)\}/g)].some(([, name = ""]) => !ownerless.has(name)),
);

describe("what belongs to others, by every operation of the OpenAPI document", () => {
  let database: TestDatabase;
  let api: TestApi;
  let tokens: Record<(typeof strangers)[number], string | undefined>;
  let theirs: Record<string, string>;
  let mine: Record<string, Record<string, string>>;
  let untouched: string;

  /** Everything that the victim has, as its own token sees it. */
  const snapshot = async (token: string): Promise<string> => {
    const paths = [
      "/reports?created_by=all",
      "/schedules",
      "/mutings",
      "/guest_accounts",
      "/api_tokens",
      "/basic_auths",
      "/share_links",
      "/sites",
    ];
    const below = [`/reports/${theirs.report_id}`, `/reports/${theirs.report_id}/web_pages`];
    const answers = await Promise.all(
      [...paths, ...below].map(async (path) => (await api.as(token)("GET", path)).text),
    );
    return answers.join("\n").replaceAll(/"last_used_at":"[^"]*"|"last_used_at":null/g, "");
  };
  let owner: { accountId: string; token: string };

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("the key of the tenants") });
    owner = await accountWithToken(database);
    const other = await accountWithToken(database);
    theirs = await oneOfEach(database, api, owner);
    const readToken = await createToken(database.db, { accountId: other.accountId, name: "read", scope: "read" });
    const guest = await guestWithToken(database, owner.accountId);
    const farGuest = await guestWithToken(database, other.accountId);
    tokens = {
      "another account": other.token,
      "another account's read token": readToken.token,
      "a guest of the same account": guest.token,
      "a guest of another account": farGuest.token,
      nobody: undefined,
    };
    // Things of their own, to be combined with ids of others in one address.
    const ofOther = await oneOfEach(database, api, other);
    const ownOf = async (accountId: string, guest_token: string) => {
      const report_id = await insertReport(database.db, { accountId });
      await database.db.updateTable("reports").set({ guest_token }).where("id", "=", report_id).execute();
      return { report_id };
    };
    mine = {
      "another account": ofOther,
      "another account's read token": ofOther,
      "a guest of the same account": await ownOf(owner.accountId, guest.guestToken),
      "a guest of another account": await ownOf(other.accountId, farGuest.guestToken),
    };
    untouched = await snapshot(owner.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const bodyOf = (method: string, path: string): object | undefined => {
    const type =
      path
        .split("/")
        .findLast((part) => !part.startsWith("{"))
        ?.replace(/^people$/, "person")
        .replace(/s$/, "") ?? "";
    return validBodies[type]?.[method as "POST" | "PATCH"];
  };

  /** The address with ids of one owner, but for those that are given. */
  function addressOf(path: string, ids: Record<string, string>): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const id = ids[name];
      if (id === undefined) throw new Error(`${path}: make a ${name} in oneOfEach.`);
      return id;
    });
  }

  /** The ids of the victim alone; and each one of them among the caller's own. */
  function idsOf(stranger: string, path: string): Record<string, string>[] {
    const [first = "", ...rest] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const own = mine[stranger] ?? {};
    if (own[first] === undefined) return [theirs];
    const ofOwners = rest.filter((name) => !ownerless.has(name));
    return [theirs, ...ofOwners.map((name) => ({ ...theirs, ...own, [name]: theirs[name] ?? "" }))];
  }

  function expectedOf(stranger: string, method: string): [status: number, code: string] {
    if (stranger === "nobody") return [401, "unauthenticated"];
    if (stranger.endsWith("read token") && method !== "GET") return [403, "insufficient_scope"];
    return [404, "not_found"];
  }

  it("covers every documented operation that has such an id", () => {
    expect(operations).to.have.length.above(30);
  });

  for (const stranger of strangers)
    for (const { method, path } of operations)
      it(`is not there for ${stranger}: ${method} ${path}`, async () => {
        const call = api.as(tokens[stranger]);
        const attributes = bodyOf(method, path);
        const expected = expectedOf(stranger, method);
        for (const ids of idsOf(stranger, path)) {
          const { status, json } = await call(method, addressOf(path, ids), attributes ? { attributes } : {});
          expect([status, json.errors?.[0]?.code], addressOf(path, ids)).to.deep.equal(expected);
        }
      });

  it("is as it was after all of that", async () => {
    expect(await snapshot(owner.token)).to.equal(untouched);
  });
});
