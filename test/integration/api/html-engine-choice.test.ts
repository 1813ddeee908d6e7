import { expect } from "chai";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const limits = { maxPages: 0, maxRateLimit: 0 };

describe("html_engine", () => {
  let database: TestDatabase;
  let withJava: TestApi;
  let withoutJava: TestApi;
  let call: Call;
  /** The same account where nu cannot run. */
  let plain: Call;

  before(async () => {
    database = await createTestDatabase();
    const encryptor = createEncryptor("secret");
    withJava = await startTestApi(database, { encryptor, limits: { ...limits, htmlEngines } });
    withoutJava = await startTestApi(database, {
      encryptor,
      limits: { ...limits, htmlEngines: ["conformance", "html-validate"] },
    });
    const { token } = await accountWithToken(database);
    call = withJava.as(token);
    plain = withoutJava.as(token);
  });
  after(async () => {
    await withJava.close();
    await withoutJava.close();
    await database.drop();
  });

  const create = (by: Call, kind: "reports" | "schedules", attributes: object) =>
    by("POST", `/${kind}`, {
      attributes: {
        starting_url: "https://example.com/",
        ...(kind === "schedules" && { periodicity: { every: "deploy" } }),
        ...attributes,
      },
    });

  for (const kind of ["reports", "schedules"] as const) {
    it(`of ${kind} is conformance, or the one that the request names`, async () => {
      for (const [given, shown] of [
        [{}, "conformance"],
        ...htmlEngines.map((name) => [{ html_engine: name }, name] as const),
      ] as const) {
        const { status, json } = await create(call, kind, given);
        expect([status, json.data.attributes.html_engine]).to.deep.equal([201, shown]);
        const again = await call("GET", `/${kind}/${json.data.id}`);
        expect(again.json.data.attributes.html_engine).to.equal(shown);
      }
    });

    it(`of ${kind} cannot be nu where that cannot run: the error says what to install`, async () => {
      const { status, json } = await create(plain, kind, { html_engine: "nu" });
      expect(status).to.equal(422);
      const [error, ...others] = json.errors;
      expect(others).to.deep.equal([]);
      expect(error).to.deep.include({
        code: "engine_unavailable",
        source: { pointer: "/data/attributes/html_engine" },
      });
      expect(error?.detail).to.match(/^html_engine is "nu", .*install a headless Java runtime.*Available: conformance/);
    });

    it(`of ${kind} may be any when HTML is not checked`, async () => {
      const attributes = { html_engine: "nu", perform_html_checks: false, perform_a11y_checks: true };
      expect((await create(plain, kind, attributes)).status).to.equal(201);
    });
  }

  it("of a schedule may change, and its reports have the one that it has by then", async () => {
    const { id, attributes } = (await create(call, "schedules", { html_engine: "nu" })).json.data;
    const hook = String(attributes.deploy_hook_url).replace(`${withJava.url}/api/v1`, "");
    const refused = await plain("POST", hook);
    expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([409, "schedule_inactive"]);
    expect(refused.json.errors[0]?.detail).to.include('html_engine is "nu"');
    const changed = await plain("PATCH", `/schedules/${id}`, { attributes: { html_engine: "html-validate" } });
    expect([changed.status, changed.json.data.attributes.html_engine]).to.deep.equal([200, "html-validate"]);
    const run = await plain("POST", hook);
    expect([run.status, run.json.data.attributes.html_engine]).to.deep.equal([202, "html-validate"]);
  });

  it("of a report does not change", async () => {
    const { id } = (await create(call, "reports", {})).json.data;
    const reply = await call("PATCH", `/reports/${id}`, { attributes: { html_engine: "html-validate" } });
    expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([422, "immutable_attribute"]);
  });

  it("is documented with the engines that can run", async () => {
    const { json } = await plain("GET", "/openapi.json");
    const text = JSON.stringify(json);
    expect(text).to.include('"enum":["conformance","html-validate"]');
  });
});
