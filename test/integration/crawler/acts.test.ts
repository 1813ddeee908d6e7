import { expect } from "chai";
import { readNotices } from "../../../src/database/crawl/notices.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import {
  acting,
  type BackOffice,
  byAttribute,
  byId,
  leading,
  reading,
  serveBackOffice,
  ways,
} from "../../support/back-office.ts";
import { reportOfLinks } from "../../support/check-links.ts";
import { readCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("a crawl and its link checks where somebody is signed in", () => {
  let database: TestDatabase;
  let site: BackOffice;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    site = await serveBackOffice();
  });
  afterEach(() => site.close());

  const run = async (spec: Partial<ReportSpec> = {}, isSignedIn = true) => {
    const { credentials, tls } = site;
    const reportId = await reportOfLinks(
      database,
      { startingUrl: site.url, ...spec },
      isSignedIn ? { credentials, tls } : {},
    );
    const crawled = await readCrawl(database.db, reportId);
    const path = (url: string) => decodeURI(url.replace(site.origin, ""));
    const notices = await readNotices(database.db, reportId);
    return {
      paths: crawled.urls.map(path),
      left: Object.fromEntries(crawled.excluded.map(({ url, reason }) => [path(url), reason])),
      said: (code: string) => notices.find((group) => group.code === code),
      requested: site.requests.map((request) => decodeURI(request.path)),
    };
  };

  it("asks for nothing that acts, names it with its sign, and finds what only reads", async () => {
    const { paths, left, said, requested } = await run();
    expect(site.changes).to.deep.equal([]);
    for (const path of [...acting, ...byAttribute, ...leading]) expect(left[path], path).to.equal("acts");
    expect(left["/o/7"]).to.equal("signs_out");
    expect(paths).to.include.members(["/", ...reading, byId]);
    const touched = Object.entries(left).filter(([path]) => path.startsWith("/touch"));
    expect(touched.map(([, reason]) => reason)).to.deep.equal(["acts"]);
    expect(said("account_can_write")?.how_many).to.equal(1);
    expect(requested).not.to.include.members([...acting, ...byAttribute]);
    const { examples = [], how_many } = said("acts_left_out") ?? {};
    expect(how_many).to.equal(acting.length + byAttribute.length + leading.length + 2);
    expect(examples).to.have.length(10);
    const details = examples.map(({ detail }) => detail);
    expect(details).to.include.members(['It has "delete" in its path.', "Its link has data-method=delete."]);
    expect(JSON.stringify(details)).not.to.contain("4f9c2d81ab");
  });

  for (const by of Object.keys(ways) as (keyof typeof ways)[])
    it(`asks for nothing that acts, nor signs out, where ${by} says who is there`, async () => {
      await site.close();
      site = await serveBackOffice(by);
      const { paths, left, said } = await run();
      expect(site.changes).to.deep.equal([]);
      for (const path of [...acting, ...byAttribute, ...leading]) expect(left[path], path).to.equal("acts");
      expect(left["/o/7"]).to.equal("signs_out");
      expect(paths).to.include.members(["/", ...reading]);
      expect(said("account_can_write")?.how_many).to.equal(1);
    });

  it("visits forms last, and three of a family", async () => {
    const { paths, left, said } = await run();
    const forms = paths.filter((path) => /\/(new|edit)$/.test(path));
    expect(forms).to.have.length(4);
    expect(paths.slice(-4)).to.deep.equal(forms);
    expect(Object.entries(left).filter(([, reason]) => reason === "forms")).to.have.length(2);
    expect(said("forms_visited")?.how_many).to.equal(4);
    const none = await run({ visitForms: false });
    expect(none.paths.filter((path) => /\/(new|edit)$/.test(path))).to.deep.equal([]);
  });

  it("visits what acts if it is asked to, and says so", async () => {
    const { said } = await run({ visitActions: true });
    expect(site.changes).to.include(`GET ${acting[0]}`);
    expect(said("actions_visited")?.how_many).to.equal(1);
  });

  it("ends the visits to addresses of a form of which one led to a page that says that something has changed", async () => {
    const initialUrls = [`${site.origin}/flips`];
    const { paths, left, said, requested } = await run({ initialUrls });
    expect(requested.filter((path) => path.startsWith("/flip?")).length).to.be.lessThan(20);
    expect(
      Object.entries(left).filter(([path, why]) => path.startsWith("/flip?") && why === "acts"),
    ).to.have.length.above(80);
    expect(said("acts_ended")?.examples[0]?.detail).to.contain("says that something has changed");
    expect(paths).to.include("/list?trashed=1");
  });

  it("ends the visits to addresses of a form of which one led back to a list that had an entry more, though none has a sign", async () => {
    const { said, left, requested } = await run({ initialUrls: [`${site.origin}/tickets`], maxPages: 0 });
    const asked = requested.filter((path) => path.endsWith("/x9"));
    expect(asked.length).to.be.within(1, 20);
    expect(Object.keys(left).filter((path) => path.endsWith("/x9"))).to.have.length.above(19);
    expect(said("acts_ended")?.examples[0]?.detail).to.contain("had an entry of it before, and has it no more");
  });

  it("reads a message of change on a page that is known already, and none in what a page always has, or in a sign-in", async () => {
    const initialUrls = ["ticks", "opens", "outs"].map((path) => `${site.origin}/${path}`);
    const { said, requested } = await run({ initialUrls, maxPages: 0 });
    const visits = (path: string) => requested.filter((one) => one.startsWith(`/${path}?`)).length;
    expect(visits("tick")).to.be.within(1, 20);
    expect([visits("open"), visits("out")]).to.deep.equal([100, 100]);
    expect(said("acts_ended")?.examples[0]?.url).to.contain("/tick");
  });

  it("leaves out a verb with a token alone where nobody is signed in", async () => {
    site.server.prependListener("request", (request) => {
      request.headers.cookie = "session=ok";
    });
    const { left } = await run({}, false);
    const reasons = Object.entries(left).filter(([, reason]) => reason === "acts" || reason === "forms");
    expect(reasons.map(([path]) => path)).to.deep.equal([acting[2]]);
  });
});
