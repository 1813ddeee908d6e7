import { expect } from "chai";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings } from "../../support/findings.ts";

describe("the stored source of a page over the API", () => {
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

  async function shared(spec: Parameters<typeof reportSpec>[0] = {}) {
    const owner = await accountWithToken(database);
    const id = await insertReport(database.db, { accountId: owner.accountId, spec: reportSpec(spec) });
    const { pageIds } = await insertFindings(database.db, id);
    await database.db.updateTable("reports").set({ shared: true }).where("id", "=", id).execute();
    return { owner, page: `/reports/${id}/web_pages/${pageIds[0]}`, list: `/reports/${id}/web_pages` };
  }

  it("is plain text that a browser takes for nothing else, whatever it contains", async () => {
    const { page } = await shared();
    const { status, headers, text } = await api.as(undefined)("GET", `${page}/source`);
    expect([status, text]).to.deep.equal([200, "<!DOCTYPE html>\n<title>Here</title>\n"]);
    expect(headers.get("content-type")).to.equal("text/plain; charset=utf-8");
    expect(headers.get("x-content-type-options")).to.equal("nosniff");
    expect(headers.get("content-security-policy")).to.equal("default-src 'none'; sandbox");
  });

  for (const credentials of [{ basicAuthId: "0b2b9e6e-6f6c-4a34-8a39-3d2f6a0f2f9c" }, { basicAuthSecret: "staging" }])
    it(`is for the owner alone if the report has credentials for the site: ${Object.keys(credentials).join()}`, async () => {
      const { owner, page, list } = await shared(credentials);
      const links = async (token: string | undefined, path: string) => {
        const { data } = (await api.as(token)("GET", path)).json;
        return Object.keys([data].flat()[0]?.relationships ?? {});
      };
      for (const path of [page, list]) {
        expect(await links(owner.token, path)).to.include("source");
        expect(await links(undefined, path))
          .to.include("screenshot")
          .and.not.to.include("source");
      }
      expect((await api.as(owner.token)("GET", `${page}/source`)).status).to.equal(200);
      const refused = await api.as(undefined)("GET", `${page}/source`);
      expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([404, "source_not_stored"]);
      expect((await api.as(undefined)("GET", `${page}/screenshot`)).status, "which was asked for").to.equal(200);
    });
});
