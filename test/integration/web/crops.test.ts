import { expect } from "chai";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings } from "../../support/findings.ts";
import { open, type Page, startTestPages } from "../../support/web-pages.ts";
import { signedIn, type WebClient, webClient } from "../../support/web-service.ts";

describe("The picture of an element, on the page of its issue,", () => {
  let database: TestDatabase;
  let api: TestApi;
  let client: WebClient;
  let report: string;
  let pageId: string;
  let pictureId: string;
  let paths: string[];

  before(async () => {
    database = await createTestDatabase();
    api = await startTestPages(database);
    const { accountId, token } = await accountWithToken(database);
    client = await signedIn({ url: api.url, token });
    const id = await insertReport(database.db, { accountId });
    report = `/reports/${id}`;
    const inserted = await insertFindings(database.db, id);
    [pageId] = inserted.pageIds;
    pictureId = inserted.pictureId;
    const idsOf = async (path: string): Promise<string[]> =>
      (await api.as(token)("GET", `${report}${path}`)).json.data.map((one: { id: string }) => one.id);
    paths = [
      ...(await idsOf("/common_a11y_issues")).map((one) => `/issues/a11y/${one}`),
      ...(await idsOf("/components")).map((one) => `/components/${one}`),
    ];
    await database.db.updateTable("reports").set({ shared: true }).where("id", "=", id).execute();
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** The pages of the accessibility issues and of their components. */
  function issues(reader: WebClient, root: string): Promise<Page[]> {
    return Promise.all(paths.map((path) => open(reader, `${root}${path}`)));
  }
  async function crops(reader: WebClient, root: string) {
    const pages = await issues(reader, root);
    expect(pages.length).to.be.greaterThan(1);
    return pages.flatMap((page) =>
      page(".crop")
        .toArray()
        .map((crop) => ({
          ...{
            viewBox: page(crop).attr("viewBox"),
            role: page(crop).attr("role"),
            name: page(crop).attr("aria-label"),
          },
          image: page(crop).find("image").attr(),
        })),
    );
  }

  it("is what was cut when the page was checked, with a name", async () => {
    const found = await crops(client, report);
    expect(found.length).to.be.greaterThan(0);
    for (const crop of found)
      expect(crop).to.deep.equal({
        ...{ viewBox: "0 1079 390 120", role: "img" },
        name: "The element, outlined, as it was on https://example.com/",
        image: {
          href: `${report}/pages/${pageId}/pictures/${pictureId}`,
          ...{ x: "0", y: "1079", width: "390", height: "120" },
        },
      });
  });

  it("is there for readers of the shared report, from its own address", async () => {
    const shared = report.replace("/reports/", "/r/");
    const [crop] = await crops(webClient(api.url), shared);
    const address = `${shared}/pages/${pageId}/pictures/${pictureId}`;
    expect(crop?.image?.href).to.equal(address);
    expect((await webClient(api.url).get(address)).html).to.equal("RIFF____WEBP");
  });

  it("is left out where none is stored: source and selector are there", async () => {
    await database.db.deleteFrom("element_pictures").execute();
    expect(await crops(client, report)).to.deep.equal([]);
    const [page] = await issues(client, report);
    expect(page?.("main pre.source").length).to.be.greaterThan(0);
  });
});
