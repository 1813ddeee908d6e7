import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { createLocalCluster } from "../../src/cluster/local/local-cluster.ts";
import { labels, type ReportResource } from "../../src/schema/resources.ts";
import { insertAccount } from "../support/builders.ts";
import { checkerHistory } from "../support/checker-pods.ts";
import { expectConsistent } from "../support/consistency.ts";
import { createReport, ended, testLog } from "../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { openSandbox, type Sandbox } from "../support/run-program.ts";
import { type Site, serveSite } from "../support/site.ts";
import { eventually } from "../support/wait.ts";

describe("sharing the machine out, with the real Jobs", () => {
  let database: TestDatabase;
  let site: Site;
  let sandbox: Sandbox;
  /** Requests for the script without which the slow pages never finish loading. */
  let held: ServerResponse[] = [];
  let released = false;

  beforeEach(async () => {
    database = await createTestDatabase();
    sandbox = await openSandbox();
    const script = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/javascript" }).end();
    site = await serveSite({
      "/slow-1": page(`<script src="/held.js?1"></script>`),
      "/slow-2": page(`<script src="/held.js?2"></script>`),
      "/quick": page(`<p>Quick</p>`),
      "/held.js": (_, response) => void (released ? script(response) : held.push(response)),
      "/release": (_, response) => {
        released = true;
        for (const waiting of held) script(waiting);
        held = [];
        response.end();
      },
    });
  });
  afterEach(async () => {
    await sandbox.close();
    await site.close();
    await database.drop();
  });

  it("gives another account's report a checker's place that two hanging ones held, and lets all of them end", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    const [one, other] = [await insertAccount(database.db), await insertAccount(database.db)];
    sandbox.start(["controller"], {
      DATABASE_URL: database.url,
      ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
      MAX_CHECKERS: "2",
    });
    const slow: ReportResource[] = [];
    for (const path of ["slow-1", "slow-2"]) {
      const spec = { startingUrl: `${site.url}${path}`, performHtmlChecks: false, performA11yChecks: true };
      slow.push(await createReport(cluster, one, { name: path, spec }));
    }
    await eventually(() => held.length >= 2);

    const quick = await createReport(cluster, other, { name: "quick", spec: { startingUrl: `${site.url}quick` } });
    expect((await ended(cluster, quick)).status).to.deep.include({
      phase: "Complete",
      checks: { pending: 0, checked: 1, failed: 0 },
    });
    expect((await checkerHistory(database.db)).leastParallelism).to.deep.equal({
      "slow-1-a11y-checker-1": 1,
      // The younger of the two waited meanwhile.
      "slow-2-a11y-checker-1": 0,
      "quick-html-checker-1": 1,
    });

    await fetch(`${site.url}release`);
    for (const report of slow) {
      const { status } = await ended(cluster, report);
      expect(status).to.deep.include({
        phase: "Complete",
        checks: { pending: 0, checked: 1, failed: 0 },
        runs: { crawler: 1, "a11y-checker": 1 },
      });
      await expectConsistent(database.db, report.metadata.uid);
    }
    const { items } = await cluster.list("Job");
    for (const { metadata, status } of items) expect(status?.failed, metadata.labels?.[labels.stage]).to.equal(0);
    expect((await checkerHistory(database.db)).mostPlaces).to.equal(2);
  }).timeout(120_000);
});

function page(body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>A page</title></head><body><h1>A page</h1>${body}</body></html>`;
}
