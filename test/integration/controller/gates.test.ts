import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { deletePage } from "../../../src/transactions/change-pages.ts";
import { insertAccount } from "../../support/builders.ts";
import { createReport, ended, type RunningService, startService, testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("a Report with a gate", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let account: string;
  let folder: string;
  let service: RunningService;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    account = await insertAccount(database.db);
    folder = await mkdtemp(path.join(tmpdir(), "sv-gates-"));
    service = startService(database, { log: path.join(folder, "log") });
  });
  afterEach(async () => {
    await service.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const create = (spec: Partial<ReportSpec>) => createReport(cluster, account, { query: "?pages=2", spec });
  const passed = ({ status }: ReportResource) => {
    const found = status?.conditions?.find(({ type }) => type === "Passed");
    return found && [found.status, found.reason, found.message];
  };

  it("has the condition Passed from its end on, with what was counted", async () => {
    const failing = await ended(cluster, await create({ gate: { maxErrors: 3, maxNewErrors: 0 } }));
    const message = "errors: 4, at most 3 allowed; new errors: not judged, there is no earlier report to compare with.";
    expect(passed(failing)).to.deep.equal(["False", "GateFailed", message]);
    const second = await ended(cluster, await create({ gate: { maxErrors: 4, maxNewErrors: 0 } }));
    expect(passed(second)).to.deep.equal([
      "True",
      "GatePassed",
      "errors: 4, at most 4 allowed; new errors: 0, at most 0 allowed.",
    ]);
    expect(second.status).to.include({ newFindings: 0, fixedFindings: 0 });
    expect(failing.status).not.to.have.any.keys("newFindings", "fixedFindings");
  });

  it("has the condition Covered, gate or not", async () => {
    for (const gate of [{}, { requireComplete: true }]) {
      const { status } = await ended(cluster, await create({ gate }));
      expect(status?.conditions?.find(({ type }) => type === "Covered")).to.include({
        ...{ status: "True", reason: "NothingLeftOut", message: "Nothing of the site was left out." },
      });
    }
  });

  it("passes a first run that is judged by nothing but what is new", async () => {
    const first = await ended(cluster, await create({ gate: { maxNewWarnings: 0 } }));
    expect(passed(first)?.slice(0, 2)).to.deep.equal(["True", "NothingToCompareWith"]);
  });

  it("has no such condition without a gate", async () => {
    expect(passed(await ended(cluster, await create({ gate: {} })))).to.equal(undefined);
  });

  it("follows when its counts change after its end", async () => {
    const report = await ended(cluster, await create({ gate: { maxErrors: 2 } }));
    expect(passed(report)?.slice(0, 2)).to.deep.equal(["False", "GateFailed"]);
    const { id } = await database.db.selectFrom("web_pages").select("id").limit(1).executeTakeFirstOrThrow();
    await deletePage(database.db, report.metadata.uid, id, new Date());
    const after = await eventually(async () => {
      const found = await cluster.get("Report", "default", report.metadata.name);
      return found && passed(found)?.[0] === "True" ? found : undefined;
    });
    expect(after.status).to.include({ pages: 1, errors: 2 });
    expect((await readProgress(database.db, report.metadata.uid))?.gate?.passed).to.equal(true);
  });
});
