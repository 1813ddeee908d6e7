import { expect } from "chai";
import fc from "fast-check";
import { resolveContainer } from "../../src/cluster/local/environment.ts";
import { createNode } from "../../src/cluster/local/node.ts";
import { jobManifest } from "../../src/controller/jobs/manifest.ts";
import { printerManifest } from "../../src/controller/jobs/printer-manifest.ts";
import { upsertReport } from "../../src/database/reports/reports.ts";
import { annotations, GROUP, type ReportResource, stages } from "../../src/schema/resources.ts";
import { guestWithToken } from "../support/api.ts";
import { insertAccount, reportResource } from "../support/builders.ts";
import { testSettings } from "../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { hostileTexts } from "./job-manifests.ts";

const ID = "0b6f3c1e-0000-4000-8000-000000000001";
const DATABASE_URL = "postgres://owner:s3cret@db/validator";

/** The operator's settings: the URL is a reference to a Secret, as in the chart. */
const settings = {
  ...testSettings,
  jobEnvironment: [{ name: "ALLOWED_PRIVATE_CIDRS", value: "10.0.0.0/8" }],
  pods: {
    images: { slim: "slim", browser: "browser", nu: "nu" },
    pullPolicy: "Always",
    template: {
      env: [{ name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "database", key: "url" } } }],
    },
  },
};
const node = createNode({ database: { url: DATABASE_URL } });

/** What the processes of a report's pods get to see, after the kubelet's expansion, but for the URL itself. */
function seenByPods(report: ReportResource): { texts: string[]; manifests: string } {
  const jobs = stages.map((stage) =>
    jobManifest(report, ID, { stage, run: 1, attempt: 1, parallelism: 1, done: 0 }, settings),
  );
  const texts = jobs.flatMap((job) =>
    job.spec.template.spec.containers.flatMap((container) => {
      const { args = [], env = {}, missing } = resolveContainer(container, node);
      expect(missing).to.equal(undefined);
      expect(env.DATABASE_URL).to.equal(DATABASE_URL);
      return [...args, ...Object.entries(env).flatMap(([name, value]) => (name === "DATABASE_URL" ? [] : [value]))];
    }),
  );
  return { texts, manifests: JSON.stringify(jobs) };
}

/** The annotations that the programs read, and one that they do not know. */
const names = [...Object.values(annotations), `${GROUP}/other`];

describe("a tenant's annotations", () => {
  for (const { name, text } of hostileTexts) {
    it(`do not reach a pod when they hold ${name}`, () => {
      const hostile = Object.fromEntries(names.map((key) => [key, text]));
      const { texts, manifests } = seenByPods(reportResource({}, { name: "r", annotations: hostile }));
      expect(texts.filter((seen) => seen.includes("s3cret"))).to.deep.equal([]);
      expect(manifests).to.not.include(JSON.stringify(text).slice(1, -1));
    });
  }

  it("never make a reference that is expanded, whatever they are", () => {
    const text = fc.stringMatching(/^([$()A-Z_]|\$\(DATABASE_URL\)|\$\$|.){0,40}$/);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), text), text, (written, label) => {
        const report = reportResource({ tags: [label] }, { name: "r", annotations: written, labels: { x: label } });
        for (const seen of seenByPods(report).texts) expect(seen).to.not.include("s3cret");
      }),
      { numRuns: 500 },
    );
  });

  it("pass every value of the operator's settings unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("$", "(", ")", "DATABASE_URL", "x") }), (value) => {
        const chosen = { ...settings, jobEnvironment: [{ name: "SETTING", value }] };
        const order = { stage: "crawler", run: 1, attempt: 1, parallelism: 1, done: 0 } as const;
        const [container] = jobManifest(reportResource(), ID, order, chosen).spec.template.spec.containers;
        expect(container && resolveContainer(container, node).env?.SETTING).to.equal(value);
        const [printer] = printerManifest(ID, chosen, "token").spec.template.spec.containers;
        expect(printer && resolveContainer(printer, node).env).to.include({ SETTING: value, JOB_TOKEN: "token" });
      }),
    );
  });
});

describe("a tenant's annotations in the database", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  for (const { name, text } of hostileTexts) {
    it(`neither stop a report nor are stored when they hold ${name}`, async () => {
      const accountId = await insertAccount(database.db);
      const hostile = { [annotations.requestId]: text, [annotations.guest]: text };
      const report = reportResource({}, { annotations: hostile });
      expect((await upsertReport(database.db, report, accountId))?.uid).to.equal(report.metadata.uid);
      const row = await database.db
        .selectFrom("reports")
        .select(["request_id", "guest_token"])
        .where("id", "=", report.metadata.uid)
        .executeTakeFirstOrThrow();
      expect(row).to.deep.equal({ request_id: null, guest_token: null });
    });
  }

  it("charge a guest of their own account, and none of another", async () => {
    const [own, other] = [await insertAccount(database.db), await insertAccount(database.db)];
    const { guestToken } = await guestWithToken(database, other);
    const guestOf = async (accountId: string) => {
      const report = reportResource({}, { annotations: { [annotations.guest]: guestToken } });
      await upsertReport(database.db, report, accountId);
      const { uid } = report.metadata;
      const stored = database.db.selectFrom("reports").select("guest_token").where("id", "=", uid);
      return (await stored.executeTakeFirstOrThrow()).guest_token;
    };
    expect(await guestOf(own)).to.equal(null);
    expect(await guestOf(other)).to.equal(guestToken);
  });
});
