import { expect } from "chai";
import { createSourceFetcher } from "../../../src/crawler/source-fetcher.ts";
import { PageError } from "../../../src/domain/failure.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { insertReport } from "../../support/builders.ts";
import { fixtureSites } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const FORM =
  '<!DOCTYPE html><title>Log in</title><h1>Log in</h1><form><input name="user"><input type="password" name="p"><button>Log in</button></form>';

describe("a page that is fetched again for its check", () => {
  let database: TestDatabase;
  const sites = fixtureSites();

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => sites.close());

  const fetchForm = async (showsSignIn: boolean) => {
    const site = await sites.serve({ "/a": FORM });
    const reportId = await insertReport(database.db, { spec: { startingUrl: site.url } });
    const sources = createSourceFetcher({ db: database.db, reportId, policy: addressPolicy(["127.0.0.0/8"]) });
    const given = { signal: new AbortController().signal, beforeRequest: async () => {}, showsSignIn };
    return sources
      .readAgain(`${site.origin}/a`, given)
      .then(
        ({ document }) => document.source,
        (error) => (error instanceof PageError ? error.code : error),
      )
      .finally(() => sources.close());
  };

  it("has failed if it shows a form to sign in by now", async () => {
    expect(await fetchForm(false)).to.equal("login_required");
  });

  it("is checked if it showed the form when it was crawled", async () => {
    expect(await fetchForm(true)).to.equal(FORM);
  });
});
