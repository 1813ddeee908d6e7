import { expect } from "chai";
import { decodeDocument } from "html-conformance/documents";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startEngine } from "../../support/identified.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { open, type Page, startTestPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient, webClient } from "../../support/web-service.ts";

const head = '<!DOCTYPE html>\n<html lang="en">\n<head><title>t</title></head>\n<body>\n';
const decoded = (bytes: Buffer, contentType = "text/html") => decodeDocument(bytes, contentType, "html").source;

/** Pages with one `<center>`, in whatever company. */
const sources: Record<string, string> = {
  "lines that end with LF": `${head}<center>x</center>\n</body>\n</html>\n`,
  "lines that end with CRLF": `${head}<p>ä</p> <center>x</center>\n`.replaceAll("\n", "\r\n"),
  "lines that end with a lone CR": `${head}<center>x</center>`.replaceAll("\n", "\r"),
  "no final line end": `${head}<p>1\n<p>2\n<center>x</center>`,
  "NUL and other controls": `${head}<p>\0\x01\x1b</p><center>x</center>\n`,
  tabs: `${head}\t\t<center>x</center>\n`,
  "a single line of a megabyte": `<!DOCTYPE html><html lang="en"><title>t</title><p>${"word ".repeat(100_000)}</p><center>x</center><p>${"word ".repeat(100_000)}`,
  "characters of two units": `${head}<p>😀😀</p><center>x</center>\n`,
  "UTF-16": decoded(Buffer.from(`\ufeff${head}<p>ł</p><center>x</center>\n`, "utf16le")),
  "windows-1252": decoded(Buffer.from(`${head}<p>caf\xe9 \x80</p><center>x</center>\n`, "latin1")),
  "a byte order mark": decoded(Buffer.from(`\ufeff<!DOCTYPE html><html lang="en"><title>t</title><center>x</center>`)),
};

describe("The source of a page, on its page,", () => {
  let database: TestDatabase;
  let api: TestApi;
  let client: WebClient;
  let reportId: string;
  let pages: Map<string, string>;
  const hostile = `${head}<script>document.title="owned"</script><center onclick="alert(1)">"'&lt;</code></pre></li>\n<a href="javascript:x">\n`;

  const typo = `${head}<h1>x</h1>\n<p><a href="/a>one</a> two</p>\n<p class="b">three</p>\n<center>x</center>\n</body>\n</html>\n`;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestPages(database);
    const { accountId, token } = await accountWithToken(database);
    client = await signedIn({ url: api.url, token });
    const spec = reportSpec({ performA11yChecks: false });
    reportId = await insertReport(database.db, { accountId, spec });
    const all = { ...sources, hostile, typo, fine: `${head}<p>Fine</p>\n</body>\n</html>\n` };
    const ids = await queuePages(database.db, reportId, Object.values(all));
    pages = new Map(Object.keys(all).map((name, index) => [name, `/reports/${reportId}/pages/${ids[index]}`]));
    const log = createLogger("error", {});
    const signal = new AbortController().signal;
    const runner = await startEngine("conformance");
    const context = { reportId, kind: "html", spec } as const;
    await runChecker({
      db: database.db,
      databaseUrl: database.url,
      context,
      runner,
      log,
      now: () => new Date(),
      signal,
    }).finally(() => runner.close());
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** The finding about `<center>`, when it is chosen: its line in the source, and what is marked there. */
  async function center(page: Page, reader = client) {
    const item = page(".found a").filter((_, one) => page(one).text().includes("<center> is obsolete"));
    return marked(await open(reader, (item.attr("href") ?? "").replace("#how", "")));
  }
  function marked(page: Page) {
    const line = page(".code .now");
    const back = line.find("a[aria-current]");
    return {
      line,
      marks: line
        .find("mark")
        .toArray()
        .map((mark) => page(mark).text()),
      back,
    };
  }

  for (const name of Object.keys(sources))
    it(`has the finding marked in its line, each with a link to the other: ${name}`, async () => {
      const { line, marks, back } = await center(await open(client, pages.get(name) ?? ""));
      expect(marks.join()).to.include("<center>");
      expect(line.text()).to.include("<center>x</center>");
      expect(back.text()).to.match(/^\d+$/);
      expect(back.attr("aria-label")).to.equal(`Finding ${back.text()}`);
      expect(back.attr("href")).to.match(new RegExp(`[?]finding=${back.text()}#how$`));
    });

  it("has one finding for a mistake, with the change that mends it; what follows is folded under it", async () => {
    const words = (part: ReturnType<Page>) => part.text().replace(/\s+/g, " ").trim();
    const page = await open(client, pages.get("typo") ?? "");
    const listed = page(".found a")
      .toArray()
      .map((one) => words(page(one)));
    expect(listed).to.have.length(2);
    const [mistake = ""] = listed.filter((text) => /and \d+ that follows?/.test(text));
    const number = Number(/and (\d+) that/.exec(mistake)?.[1]);
    expect(number).to.be.above(1);
    const link =
      page(".found a")
        .filter((_, one) => words(page(one)) === mistake)
        .attr("href") ?? "";
    const chosen = await open(client, link.replace("#how", ""));
    expect(textOf(chosen, "section[aria-labelledby=how] .fix")).to.match(/^Insert " at 6:15: \d+ findings go\.$/);
    expect(textOf(chosen, "section[aria-labelledby=source] .fix")).to.include('Insert " at 6:15');
    expect(textOf(chosen, "details summary")).to.include(`${number} findings follow from this one`);
  });

  it("is cut where its only line is long", async () => {
    const page = await open(client, pages.get("a single line of a megabyte") ?? "");
    expect(page.html().length).to.be.lessThan(20_000);
    expect(textOf(page, ".code code")).to.match(/^….*word <\/p><center>x<\/center><p>word.*…/);
  });

  it("is text, whatever it contains, and so is the whole of it", async () => {
    const path = pages.get("hostile") ?? "";
    const page = await open(client, path);
    expect(page("main script, main [onclick], main center, .code pre").length).to.equal(0);
    expect(page(".code").text()).to.include('<script>document.title="owned"</script>');
    expect(
      page(".code a")
        .toArray()
        .every((link) => page(link).attr("href")?.startsWith(`${path}?finding=`)),
    ).to.equal(true);
    const whole = await client.get(page('main a[href$="/source"]').attr("href") ?? "");
    expect([whole.status, whole.html]).to.deep.equal([200, hostile]);
    expect(whole.headers.get("content-type")).to.equal("text/plain; charset=utf-8");
    expect(whole.headers.get("content-security-policy")).to.equal("default-src 'none'; sandbox");
    expect(whole.headers.get("x-content-type-options")).to.equal("nosniff");
  });

  it("is not there for a page without findings", async () => {
    const path = pages.get("fine") ?? "";
    expect((await open(client, path))("#source").length).to.equal(0);
    expect((await client.get(`${path}/source`)).status).to.equal(404);
  });

  it("is there for everybody who reads the shared report, and for nobody before", async () => {
    const path = (pages.get("tabs") ?? "").replace("/reports/", "/r/");
    const stranger = webClient(api.url);
    expect((await stranger.get(`${path}/source`)).status).to.equal(404);
    await database.db.updateTable("reports").set({ shared: true }).where("id", "=", reportId).execute();
    const page = await open(stranger, path);
    expect((await center(page, stranger)).marks.join()).to.include("<center>");
    const whole = page('main a[href$="/source"]').attr("href") ?? "";
    expect(whole).to.equal(`${path}/source`);
    expect((await stranger.get(whole)).html).to.equal(sources.tabs);
  });

  it("says that it is not stored where it is not", async () => {
    await database.db.deleteFrom("page_sources").execute();
    const page = await open(client, pages.get("tabs") ?? "");
    expect(page("#source").closest("section").text()).to.match(/not stored/);
    expect(page(".code").length).to.equal(0);
  });
});
