import { expect } from "chai";
import { insertReport } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { insertFindings } from "../../support/findings.ts";
import { errorOf, open, type Page, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { webClient } from "../../support/web-service.ts";

const FORM = "/share-links";

describe("A share link", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });
  const stranger = () => webClient(scene.service.url);

  /** Makes a link as a person does, and copies it from the page that shows it. @returns its path */
  async function link(query: string): Promise<string> {
    const made = await press(scene.client, await open(scene.client, `${FORM}?${query}`), FORM);
    expect(made.status).to.equal(201);
    const copied = made("#field-link").attr("value") ?? "";
    expect(copied.startsWith(scene.service.url)).to.equal(true);
    return new URL(copied).pathname;
  }
  const linksIn = (page: Page) =>
    page("main a[href], main img, main image")
      .toArray()
      .flatMap((one) => page(one).attr("href") ?? page(one).attr("src") ?? [])
      .filter((to) => to.startsWith("/"));

  it("opens a report and all of its pages to somebody without an account, from addresses below the link", async () => {
    const id = await insertReport(scene.database.db, { accountId: scene.accountId });
    const { pageIds, pictureId } = await insertFindings(scene.database.db, id);
    const path = await link(`report_id=${id}`);
    const report = await open(stranger(), path);
    expect(textOf(report)).to.include("A shared report. The link works until");
    expect(report("form[method=post]").length).to.equal(0);
    const below = [
      "/issues",
      "/changes",
      "/pages",
      "/failed",
      `/pages/${pageIds[0]}`,
      `/pages/${pageIds[0]}/pictures/${pictureId}`,
    ];
    for (const part of below) {
      const { status } = await stranger().get(path + part);
      expect(status, part).to.equal(200);
    }
    const seen = [
      report,
      await open(stranger(), `${path}/issues`),
      await open(stranger(), `${path}/pages/${pageIds[0]}`),
    ];
    const outside = seen.flatMap(linksIn).filter((to) => !to.startsWith(`${path}`) && !to.startsWith("/guides"));
    expect(outside).to.deep.equal([]);
    expect((await stranger().get(`/r/${id}`)).status).to.equal(404);
  });

  it("leads to a cause that somebody without an account mends, in a mail of one's own", async () => {
    const id = await runReport(scene.database.db, scene.accountId, {
      "/": ["alt logo header"],
      "/a": ["alt logo header"],
    });
    const [cause] = (await scene.service.as(scene.token)("GET", `/reports/${id}/causes`)).json.data;
    const path = `/reports/${id}/causes/${cause?.id}`;
    const form = await open(scene.client, path);
    expect(form('a[href*="share-links"][href*="cause"]')).to.have.length(0);
    const held = await press(scene.client, form, path, { who: "other", assignee: "Agency <South>", act: "save" });
    const page = await open(scene.client, held.location ?? "");
    expect(textOf(page, ".strip")).to.include("Agency <South> needs no account");
    const nowhere = await open(scene.client, `${FORM}?report_id=${id}&cause=${"0".repeat(20)}`);
    expect((await press(scene.client, nowhere, FORM, { days: "30" })).status).to.equal(404);
    expect((await scene.service.as(scene.token)("GET", "/share_links")).json.meta.total, "nobody has seen it").to.equal(
      0,
    );
    const to = page('a[href*="share-links"][href*="cause"]').attr("href") ?? "";
    const made = await press(scene.client, await open(scene.client, to), FORM, { days: "30" });
    const copied = made("#field-link").attr("value") ?? "";
    const mail = new URL(made('a[href^="mailto:"]').attr("href") ?? "");
    expect(mail.pathname, "nobody is chosen").to.equal("");
    expect(mail.searchParams.get("subject")).to.equal(cause?.attributes.title);
    expect(mail.searchParams.get("body")).to.include(copied);
    const seen = await open(stranger(), new URL(copied).pathname);
    expect([seen.status, textOf(seen, "h1")]).to.deep.equal([200, String(cause?.attributes.title)]);
    expect(textOf(seen), "who has it is for the account").to.not.include("Agency");
  });

  it("is in no search engine, nor is a report that is shared: not even its pictures and files", async () => {
    const id = await insertReport(scene.database.db, { accountId: scene.accountId });
    const { pageIds, pictureId } = await insertFindings(scene.database.db, id);
    const path = await link(`report_id=${id}`);
    await scene.service.as(scene.token)("PATCH", `/reports/${id}`, { attributes: { shared: true } });
    const robotsOf = async (address: string) => {
      const response = await fetch(scene.service.url + address);
      const html = await response.text();
      return [response.headers.get("x-robots-tag"), html.includes('<meta name="robots" content="noindex, nofollow"')];
    };
    for (const start of [path, `/r/${id}`]) {
      expect(await robotsOf(start), start).to.deep.equal(["noindex, nofollow", true]);
      expect(await robotsOf(`${start}/issues`), start).to.deep.equal(["noindex, nofollow", true]);
      const [header] = await robotsOf(`${start}/pages/${pageIds[0]}/pictures/${pictureId}`);
      expect(header, start).to.equal("noindex, nofollow");
    }
    expect(await robotsOf("/r/00000000-0000-4000-8000-000000000000")).to.deep.equal(["noindex, nofollow", true]);
    expect(await robotsOf("/guides")).to.deep.equal([null, false]);
  });

  it("opens nothing but its report", async () => {
    const mine = await insertReport(scene.database.db, { accountId: scene.accountId });
    const other = await insertReport(scene.database.db, { accountId: scene.accountId });
    const { pageIds } = await insertFindings(scene.database.db, other);
    const path = await link(`report_id=${mine}`);
    expect((await stranger().get(`${path}/pages/${pageIds[0]}`)).status).to.equal(404);
    expect((await stranger().get(`${path}/pages/${pageIds[0]}/source`)).status).to.equal(404);
    expect((await stranger().get("/shared/of-nobody")).status).to.equal(404);
    expect((await stranger().get("/shared/of-nobody/issues")).status).to.equal(404);
  });

  it("opens the numbers of a site, without links to its reports", async () => {
    const at = new Date(Date.now() - 86_400_000);
    const id = await runReport(scene.database.db, scene.accountId, { "/": ["alt img a"] }, { at });
    const site = (await open(scene.client, `/reports/${id}`))("h1 a").attr("href")?.split("/").at(-1);
    const path = await link(`site_id=${site}`);
    const page = await open(stranger(), path);
    expect(textOf(page, ".tile")).to.include("Errors per page 1.0");
    expect(page(".plot").length).to.equal(4);
    expect(linksIn(page)).to.deep.equal([]);
    expect(page.html()).to.not.include(id);
    expect((await stranger().get(`${path}/issues`)).status).to.equal(404);
  });

  it("is listed without what opens it, and ended by a button", async () => {
    const id = await insertReport(scene.database.db, { accountId: scene.accountId });
    const path = await link(`report_id=${id}`);
    const list = await open(scene.client, FORM);
    expect(list.html()).to.not.include(path.split("/").at(-1));
    expect(list(`tbody a[href="/reports/${id}"]`).length).to.equal(1);
    const end = list('form[action$="/end"]').attr("action") ?? "";
    const { location } = await press(scene.client, list, end);
    expect(location).to.equal(`${FORM}?done=linkEnded`);
    expect((await stranger().get(path)).status).to.equal(404);
  });

  it("is named in its row, and ended on the list of its report alone", async () => {
    const id = await insertReport(scene.database.db, { accountId: scene.accountId });
    const form = `${FORM}?report_id=${id}`;
    await link(`report_id=${id}`);
    const list = await open(scene.client, form);
    const { data } = (await scene.service.as(scene.token)("GET", `/reports/${id}`)).json;
    expect(textOf(list, "tbody th")).to.equal(`a report: ${data.attributes.starting_url}`);
    const end = list('form[action$="/end"]').attr("action") ?? "";
    const { location } = await press(scene.client, list, end);
    expect(location).to.equal(`${form}&done=linkEnded`);
  });

  it("is listed without a name when the site that it opens is gone", async () => {
    const at = new Date(Date.now() - 86_400_000);
    const id = await runReport(scene.database.db, scene.accountId, { "/": [] }, { at });
    const site = (await open(scene.client, `/reports/${id}`))("h1 a").attr("href")?.split("/").at(-1);
    await link(`site_id=${site}`);
    expect(textOf(await open(scene.client, FORM), "tbody th")).to.equal("the numbers of a site: https://example.com/");
    await scene.service.as(scene.token)("DELETE", `/reports/${id}`);
    expect(textOf(await open(scene.client, FORM), "tbody th")).to.equal("the numbers of a site");
  });

  it("is made once of a form that is sent twice, and shown both times", async () => {
    const id = await insertReport(scene.database.db, { accountId: scene.accountId });
    const form = await open(scene.client, `${FORM}?report_id=${id}`);
    const first = await press(scene.client, form, FORM);
    const second = await press(scene.client, form, FORM);
    expect(second("#field-link").val()).to.equal(first("#field-link").val());
    expect((await open(scene.client, FORM))("tbody tr").length).to.equal(1);
    const longer = await press(scene.client, form, FORM, { days: "90" });
    expect(longer("#field-link").val()).to.not.equal(first("#field-link").val());
  });

  for (const days of [undefined, "", "soon", "-7", "1e9"])
    it(`is refused in its form when it is to work for ${days === undefined ? "no" : `"${days}"`} days`, async () => {
      const id = await insertReport(scene.database.db, { accountId: scene.accountId });
      const refused = await press(scene.client, await open(scene.client, `${FORM}?report_id=${id}`), FORM, { days });
      expect(refused.status).to.equal(422);
      expect(errorOf(refused, "days")).to.include("one of 7, 30, 90, 365");
      expect(refused('input[name="report_id"]').val()).to.equal(id);
    });

  it("is not made for a report of somebody else", async () => {
    const page = await open(scene.client, `${FORM}?report_id=00000000-0000-4000-8000-000000000000`);
    expect(page.status).to.equal(404);
  });
});
