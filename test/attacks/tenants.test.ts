import { expect } from "chai";
import { routes } from "../../src/api/routes.ts";
import { createToken } from "../../src/database/accounts/tokens.ts";
import { createEncryptor } from "../../src/domain/accounts/encryption.ts";
import { boundsAllow, type Right, rightOf, siteRoleHas } from "../../src/domain/accounts/roles.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { insertReport } from "../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { OTHER_SITE, oneOfEach, onOtherSite, validBodies } from "../support/every-route.ts";
import { documentedOperations } from "../support/openapi.ts";
import { personWithToken } from "../support/people.ts";

type Operation = { method: string; path: string };

/** Who asks for what is not theirs. */
const strangers = [
  "another account",
  "another account's read token",
  "a guest of the same account",
  "a guest of another account",
  "a reader of another site",
  "an editor of another site",
  "a token for another site",
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

/** Of what is on one site, these say which: they belong to nobody, but a site is there only for those who have a role on it. */
const ofSites = new Set(["site_id", "cause_id"]);

/** Every operation whose address has the id of something that belongs to somebody. */
const operations = documentedOperations().filter(({ path }) =>
  [...path.matchAll(/\{(\w+)\}/g)].some(([, name = ""]) => !ownerless.has(name)),
);
const operationsOfSites = documentedOperations().filter(
  ({ path }) => !operations.some((one) => one.path === path) && [...ofSites].some((name) => path.includes(`{${name}}`)),
);
const routeOf = ({ method, path }: { method: string; path: string }) =>
  routes.find((route) => route.method === method && route.path.replace(/:(\w+)/g, "{$1}") === path);

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
    return answers.join("\n").replaceAll(/"(?:last_used_at|last_used_from|recent_requests)":(?:"[^"]*"|null|\d+)/g, "");
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
    const onOther = await onOtherSite(database, api, owner);
    const personOf = async (role: "reader" | "editor") =>
      personWithToken(database, owner.accountId, null, { sites: [{ starting_url: OTHER_SITE, role }] });
    const bounds = { may: ["all" as const], siteUrls: [OTHER_SITE], siteTags: null };
    const bounded = await createToken(database.db, {
      ...{ accountId: owner.accountId, name: "bounded", scope: "write" as const, bounds },
      madeBy: (await personWithToken(database, owner.accountId, "owner")).id,
    });
    tokens = {
      "another account": other.token,
      "another account's read token": readToken.token,
      "a guest of the same account": guest.token,
      "a guest of another account": farGuest.token,
      "a reader of another site": (await personOf("reader")).token,
      "an editor of another site": (await personOf("editor")).token,
      "a token for another site": bounded.token,
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
      "a reader of another site": onOther,
      "an editor of another site": onOther,
      "a token for another site": onOther,
    };
    untouched = await snapshot(owner.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const bodyOf = (method: string, path: string): object | undefined => {
    const { body } = routeOf({ method, path }) ?? {};
    if (body && validBodies[body.type]) return validBodies[body.type]?.[method as "POST" | "PATCH"];
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

  const isAllowed = (stranger: string, right: Right): boolean =>
    stranger.startsWith("a token")
      ? boundsAllow({ may: ["all"], sites: [OTHER_SITE] }, right)
      : siteRoleHas(stranger.startsWith("a reader") ? "reader" : "editor", right);

  function expectedOf(stranger: string, operation: Operation): [status: number, code: string] {
    const { method } = operation;
    const route = routeOf(operation);
    if (stranger === "nobody") return [401, "unauthenticated"];
    const isForSites = stranger.endsWith("another site");
    // What is about the whole account is refused, whatever is asked for.
    if (isForSites && route && (route.site === undefined || !isAllowed(stranger, rightOf(route))))
      return [403, stranger.startsWith("a token") ? "insufficient_scope" : "insufficient_role"];
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
        const expected = expectedOf(stranger, { method, path });
        for (const ids of idsOf(stranger, path)) {
          const { status, json } = await call(method, addressOf(path, ids), attributes ? { attributes } : {});
          expect([status, json.errors?.[0]?.code], addressOf(path, ids)).to.deep.equal(expected);
        }
      });

  for (const stranger of ["a reader of another site", "an editor of another site", "a token for another site"] as const)
    for (const { method, path } of operationsOfSites)
      it(`is not there for ${stranger}: ${method} ${path}`, async () => {
        const attributes = bodyOf(method, path);
        const sent = attributes ? { attributes } : {};
        const { status, json } = await api.as(tokens[stranger])(method, addressOf(path, theirs), sent);
        expect([status, json.errors?.[0]?.code]).to.deep.equal(expectedOf(stranger, { method, path }));
      });

  it("is as it was after all of that", async () => {
    expect(await snapshot(owner.token)).to.equal(untouched);
  });
});
