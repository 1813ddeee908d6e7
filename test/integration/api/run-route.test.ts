import { expect } from "chai";
import type { Route } from "../../../src/api/context.ts";
import { auditor } from "../../../src/api/http/audit/auditor.ts";
import { concurrencyLimit } from "../../../src/api/http/request/concurrency-limit.ts";
import { idempotency } from "../../../src/api/http/request/idempotency.ts";
import { runRoute } from "../../../src/api/http/run-route.ts";
import { RequestError } from "../../../src/domain/errors.ts";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("a POST with an Idempotency-Key and a query", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  it("is another request when its query differs", async () => {
    const { accountId } = await accountWithToken(database);
    const { id: tokenId } = await database.db
      .selectFrom("api_tokens")
      .select("id")
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    const shared = {
      deps: api.deps,
      concurrency: concurrencyLimit(),
      idempotency: idempotency(),
      audit: auditor([], api.deps.limits),
    };
    const run = async (search: string): Promise<unknown> => {
      const query = new URLSearchParams(search);
      const route: Route = {
        ...({ method: "POST", path: "/things", access: "account" } as const),
        ...({ id: "makeThing", tag: "Reports", summary: "Make a thing", success: { kind: "nothing" } } as const),
        handle: async () => ({ status: 201, document: { for: search } }),
      };
      const context = {
        ...{ deps: api.deps, self: { path: "/things", query }, attributes: {}, caller: { accountId, tokenId } },
        abortSignal: () => new AbortController().signal,
      } as unknown as Parameters<typeof runRoute>[2]["context"];
      const made = await runRoute(route, shared, { context, path: "/things", key: "a", repeatKey: "k" });
      return JSON.parse("body" in made ? made.body : "{}");
    };
    expect(await run("of=a")).to.deep.equal({ for: "of=a" });
    expect(await run("of=a")).to.deep.equal({ for: "of=a" });
    for (const other of ["of=b", ""]) {
      const refused: unknown = await run(other).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(RequestError);
      expect((refused as RequestError).violations[0]).to.include({ status: 422, code: "idempotency_key_reused" });
    }
  });
});
