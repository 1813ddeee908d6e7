import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { labels, type ReportResource } from "../../../src/schema/resources.ts";
import { insertAccount } from "../../support/builders.ts";
import { checkerHistory } from "../../support/checker-pods.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createReport, ended, testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

/** Each times out after half a minute: together they hang for longer than the test takes. */
const SLOW_PAGES = 8;

describe("sharing the slots, with the real Jobs", () => {
  let database: TestDatabase;
  let site: Site;
  let sandbox: Sandbox;
  /** Slow reports for which a browser waits; their pages respond after the release. */
  let hanging: Set<string>;
  let release: () => void;

  beforeEach(async () => {
    database = await createTestDatabase();
    sandbox = await openSandbox();
    hanging = new Set();
    const released = Promise.withResolvers<void>();
    release = released.resolve;
    const seen = new Set<string>();
    const slow = async ({ url = "" }: IncomingMessage, response: ServerResponse) => {
      // The crawler comes first.
      if (seen.has(url)) {
        hanging.add(url.replace(/\?.*/, ""));
        await released.promise;
      }
      seen.add(url);
      const links = Array.from({ length: SLOW_PAGES - 1 }, (_, n) => `<a href="?page=${n}">Page ${n}</a>`);
      response.writeHead(200, { "content-type": "text/html" }).end(page(links.join(" ")));
    };
    site = await serveSite({ "/slow-1": slow, "/slow-2": slow, "/quick": page("<p>Quick</p>") });
  });
  afterEach(async () => {
    release();
    await sandbox.close();
    await site.close();
    await database.drop();
  });

  it("gives another account's report a slot that one of two slow reports held, and lets all of them end", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    const [one, other] = [await insertAccount(database.db), await insertAccount(database.db)];
    sandbox.start(["controller"], {
      DATABASE_URL: database.url,
      ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
      MAX_CHECKERS: "2",
    });
    const slow: ReportResource[] = [];
    for (const path of ["slow-1", "slow-2"]) {
      const spec = {
        startingUrl: `${site.url}${path}`,
        performHtmlChecks: false,
        performA11yChecks: true,
        rateLimit: 25,
      };
      slow.push(await createReport(cluster, one, { name: path, spec }));
    }
    await eventually(() => hanging.size === 2);

    const quick = await createReport(cluster, other, { name: "quick", spec: { startingUrl: `${site.url}quick` } });
    expect((await ended(cluster, quick)).status).to.deep.include({
      phase: "Complete",
      checks: { pending: 0, checked: 1, failed: 0 },
    });
    for (const { metadata } of slow)
      expect((await cluster.get("Report", "default", metadata.name))?.status?.completionTime).to.equal(undefined);
    expect((await checkerHistory(database.db)).leastParallelism).to.deep.equal({
      "slow-1-a11y-checker-1": 1,
      // The younger of the two waited meanwhile.
      "slow-2-a11y-checker-1": 0,
      "quick-html-checker-1": 1,
    });

    release();
    for (const report of slow) {
      const { status } = await ended(cluster, report);
      expect(status).to.deep.include({
        phase: "Complete",
        runs: { crawler: 1, "a11y-checker": 1 },
      });
      // On a busy machine some pages hang for so long that they are given up.
      const { pending, checked = 0, failed = 0 } = status?.checks ?? {};
      expect([pending, checked + failed]).to.deep.equal([0, SLOW_PAGES]);
      await expectConsistent(database.db, report.metadata.uid);
    }
    const { items } = await cluster.list("Job");
    for (const { metadata, status } of items) expect(status?.failed, metadata.labels?.[labels.stage]).to.equal(0);
    expect((await checkerHistory(database.db)).mostPlaces).to.equal(2);
  });
});

function page(body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>A page</title></head><body><h1>A page</h1>${body}</body></html>`;
}
