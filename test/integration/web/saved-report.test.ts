import { expect } from "chai";
import { accountWithToken } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, signedInToPages, startTestPages, textOf } from "../../support/web-pages.ts";
import { signedIn, webClient } from "../../support/web-service.ts";

describe("A report that is saved as one file", () => {
  let scene: PagesScene;
  let id: string;
  signedInToPages((made) => {
    scene = made;
  });
  beforeEach(async () => {
    id = await runReport(scene.database.db, scene.accountId, {
      "/": ["alt img one", "alt img two"],
      "/two": ["alt img one"],
    });
  });

  it("is led to by its page, has a name, and says what was found without anything to load", async () => {
    const report = await open(scene.client, `/reports/${id}`);
    const path = report('a[href$="/export.html"]').attr("href") ?? "";
    const file = await open(scene.client, path);
    expect(file.status).to.equal(200);
    expect(file.headers.get("content-disposition")).to.equal("attachment; filename=example.com.html");
    expect(file.headers.get("content-type")).to.equal("text/html; charset=utf-8");
    expect(file.headers.get("content-security-policy")).to.equal("default-src 'none'; sandbox");
    expect(textOf(file)).to.include("alt");
    expect(file("script, link, img[src^='/'], a[href^='/']").length).to.equal(0);
    expect(file("main").length).to.equal(1);
  });

  it("is for those, too, whom the report is shared with, and for nobody else", async () => {
    const stranger = webClient(scene.service.url);
    const other = await signedIn({ url: scene.service.url, token: (await accountWithToken(scene.database)).token });
    for (const client of [stranger, other]) expect((await client.get(`/r/${id}/export.html`)).status).to.equal(404);
    expect((await other.get(`/reports/${id}/export.html`)).status).to.equal(404);
    const { json } = await scene.service.as(scene.token)("POST", "/share_links", {
      attributes: { report_id: id, expires_at: new Date(Date.now() + 86_400_000).toISOString() },
    });
    await scene.service.as(scene.token)("PATCH", `/reports/${id}`, { attributes: { shared: true } });
    for (const start of [`/r/${id}`, `/shared/${json.data.attributes.secret}`]) {
      const shown = await open(stranger, start);
      const file = await open(stranger, shown('a[href$="/export.html"]').attr("href") ?? "");
      expect(file.status, start).to.equal(200);
      expect(textOf(file), start).to.include("example.com");
    }
  });

  it("counts as one request, however many parts it reads", async () => {
    const limited = await startTestPages(scene.database, { requestsPerMinute: 8 });
    try {
      const client = await signedIn({ url: limited.url, token: scene.token });
      expect((await client.get(`/reports/${id}/export.html`)).html).to.match(/<\/html>\s*$/);
    } finally {
      await limited.close();
    }
  });

  it("is there when the report has ended", async () => {
    const running = await insertReport(scene.database.db, { accountId: scene.accountId });
    const page = await open(scene.client, `/reports/${running}/export.html`);
    expect(page.status).to.equal(409);
    expect(textOf(page)).to.include("when the report has ended");
  });
});
