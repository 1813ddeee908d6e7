import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { List, One, Resource } from "../../../src/api/documents.ts";
import { administer } from "../../../src/cli/admin.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { runReport } from "../../support/compared-sites.ts";
import { open, type Page, type PagesScene, pageOf, signedInToPages, textOf } from "../../support/web-pages.ts";

const errors = (rule: string, n: number): string[] => Array.from({ length: n }, (_, at) => `${rule} img p${at}`);
const FILE = "path,views\n/,100\n/docs/a,9000\n/search?q=ada@example.com,50\n";

describe("Page views of a site", () => {
  let scene: PagesScene;
  let address: string;
  let report: string;
  signedInToPages((made) => {
    scene = made;
  });

  beforeEach(async () => {
    const { database, accountId, client } = scene;
    const site = { "/": errors("obsolete", 6), "/docs/a": errors("alt", 2), "/about": errors("obsolete", 9) };
    report = await runReport(database.db, accountId, site, { at: new Date(Date.now() - 3_600_000) });
    address = (await open(client, `/reports/${report}`))("h1 a").attr("href") ?? "";
  });

  const api = async <Document>(way: string) =>
    (await scene.service.as(scene.token)("GET", way)).json as unknown as Document;
  const say = async (fields: Record<string, string>): Promise<Page> => {
    await open(scene.client, address);
    const reply = await scene.client.post(address, fields);
    return reply.location === null ? pageOf(reply) : open(scene.client, reply.location);
  };
  const give = (file: string) => say({ views: "read", file });
  const listed = (page: Page) =>
    page("[aria-labelledby=affected] li")
      .toArray()
      .map((row) =>
        page(row)
          .find("span, b")
          .toArray()
          .filter((part) => page(part).children().length === 0)
          .map((part) => page(part).text().trim())
          .filter(Boolean)
          .join(" "),
      );

  it("order the most affected pages by how often visitors met an error; pages without a number come last", async () => {
    expect(listed(await open(scene.client, address))).to.deep.equal(["/about 9", "/ 6", "/docs/a 2"]);
    const page = await give(FILE);
    expect(textOf(page)).to.include("The file is read.");
    expect(listed(page)).to.deep.equal(["/docs/a 9,000 × 2 18K", "/ 100 × 6 600", "/about –"]);
    expect(textOf(page, "[aria-labelledby=affected]")).to.match(
      /Page views from a CSV file, \d+ \w+ \d{4}: 2 of 3 pages are in it[.] Pages without a number come last, by errors[.]/,
    );
    expect(textOf(page, "[aria-labelledby=views]")).to.include("1 other row with 50 views is of no page of the site");
    expect(listed(await open(scene.client, `${address}?weigh=errors`))[0]).to.equal("/about 9");
    const pages = await open(scene.client, `/reports/${report}/pages?sort=met-desc`);
    expect(textOf(pages, "tbody tr:first-child")).to.match(/\/docs\/a.*9,000 ?18,000/);
  });

  it("weigh the causes, with and without what is stored at a report's end, as the rows say", async () => {
    await give(FILE);
    const causes = () => api<List<"cause">>(`/reports/${report}/causes?sort=met-desc`);
    const live = await causes();
    const met = live.data.map(({ attributes }) => attributes.met);
    const pages = await api<List<"web_page">>(`/reports/${report}/web_pages`);
    const sum = (numbers: (number | null)[]) => numbers.reduce((total: number, one) => total + (one ?? 0), 0);
    expect(sum(met)).to.equal(100 * 6 + 9_000 * 2);
    expect(sum(pages.data.map(({ attributes }) => attributes.met))).to.equal(sum(met));
    expect(live.data[0]?.attributes.rules).to.deep.equal(["html alt"]);
    await storeComponents(scene.database.db, report, null);
    expect((await causes()).data).to.deep.equal(live.data);
    const first = await open(scene.client, `/reports/${report}?weigh=met`);
    expect(textOf(first, ".fixes li:first-child")).to.include("met 18K times");
    const usual = await open(scene.client, `/reports/${report}`);
    expect(textOf(usual, ".fixes li:first-child")).to.not.include("18K");
    // A newer file counts at once, also where numbers by the one before are stored.
    await give("path,views\n/,7\n");
    expect(sum((await causes()).data.map(({ attributes }) => attributes.met))).to.equal(42);
    await scene.database.db.updateTable("component_lists").set({ met: null }).execute();
    expect(sum((await causes()).data.map(({ attributes }) => attributes.met))).to.equal(42);
  });

  it("stay as they are when a file is not understood, or is of another site", async () => {
    await give(FILE);
    for (const [file, why] of [
      ["name,age\nAda,36\n", "no column of pages"],
      ["path,views\n/,many\n", "Line 2 has"],
      ["path,views\n/not/ours,5\n", "another site"],
      ["", "file"],
    ] as const) {
      const refused = await give(file);
      expect(refused.status, file).to.equal(422);
      expect(textOf(refused, "[aria-labelledby=views] .error"), file).to.include(why);
      expect(listed(refused)[0]).to.equal("/docs/a 9,000 × 2 18K");
    }
  });

  it("are read from a file that a browser sends, in the encoding of Matomo", async () => {
    const page = await open(scene.client, address);
    const form = new FormData();
    for (const name of ["csrf", "key"]) form.set(name, page(`input[name=${name}]`).first().attr("value") ?? "");
    form.set("views", "read");
    const text = '\ufeffLabel,Pageviews,"Metadata: url"\n/about,40,https://example.com/about\n';
    form.set("file", new File([Buffer.from(text, "utf16le")], "export.csv", { type: "text/csv" }));
    const sent = await fetch(`${scene.service.url}${address}`, {
      ...{ method: "POST", body: form, redirect: "manual" },
      headers: { cookie: scene.client.cookie() },
    });
    expect(sent.status).to.equal(303);
    const { data } = await api<One<"page_views">>(`${address}/page_views`);
    expect(data.attributes).to.include({ format: "matomo", pages: 1, num_pages: 3, views: 40, other_rows: 0 });
  });

  it("keep nothing of addresses that the site does not have, and are forgotten", async () => {
    await give(FILE);
    const { db } = scene.database;
    const stored = await db.selectFrom("page_views").select("url").orderBy("url").execute();
    expect(stored.map(({ url }) => url)).to.deep.equal(["https://example.com/", "https://example.com/docs/a"]);
    expect(textOf(await say({ views: "forget" }))).to.include("The numbers are forgotten.");
    expect(await db.selectFrom("page_views").selectAll().execute()).to.deep.equal([]);
    const { data } = await api<List<"cause">>(`/reports/${report}/causes`);
    expect(data[0]?.attributes.met).to.equal(null);
  });

  it("are of the owner alone: who reads a shared report sees none, and cannot sort by them", async () => {
    await give(FILE);
    const { service, token } = scene;
    await service.as(token)("PATCH", `/reports/${report}`, { attributes: { shared: true } });
    const stranger = service.as(undefined);
    const { json } = await stranger("GET", `/reports/${report}/web_pages`);
    expect((json.data as unknown as Resource<"web_page">[]).map(({ attributes }) => attributes.views)).to.deep.equal([
      null,
      null,
      null,
    ]);
    for (const way of ["web_pages?sort=views-desc", "web_pages?sort=met-asc", "causes?sort=met-desc"])
      expect((await stranger("GET", `/reports/${report}/${way}`)).status, way).to.equal(400);
    expect((await open(scene.client, `/r/${report}/pages?sort=views-desc`)).status).to.equal(200);
  });

  it("are read by the command of the operator, too", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "page-views-"));
    const file = path.join(folder, "pages.csv");
    await writeFile(file, FILE);
    const { db } = scene.database;
    const run = (...args: string[]) => administer(["page-views", ...args], (work) => work(db));
    const output = await run("import", scene.accountId, "https://example.com/", file);
    expect(JSON.parse(output)).to.include({ site: "https://example.com/", format: "csv", pages: 2, other_views: 50 });
    expect(await run("forget", scene.accountId, "https://example.com/")).to.include('"forgotten": true');
    for (const [args, why] of [
      [["import", scene.accountId, "https://other.example/", file], "no report that starts at"],
      [["import", scene.accountId, "https://example.com/", `${file}.none`], "cannot be read"],
      [["forget", scene.accountId, "https://example.com/"], "has no page views"],
    ] as const)
      expect(
        await run(...args).then(
          () => "done",
          (error: Error) => error.message,
        ),
      ).to.include(why);
    await rm(folder, { recursive: true });
  });
});
