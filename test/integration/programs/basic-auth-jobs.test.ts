import { expect } from "chai";
import { sql } from "kysely";
import type { CoreResources, Secret } from "../../../src/cluster/core-resources.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { type Cluster, ClusterError } from "../../../src/cluster/port.ts";
import { createJobSecrets } from "../../../src/controller/jobs/job-secrets.ts";
import { insertBasicAuth } from "../../../src/database/accounts/basic-auths.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { parseCredentials } from "../../../src/domain/headers/site-credentials.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { annotations, type JobResource, labels, type ReportResource } from "../../../src/schema/resources.ts";
import { insertAccount } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { createReport, type RunningService, startController, testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

const encryptor = createEncryptor("a secret of this test");
const PASSWORD = "pä55: word";
const named = (data: Record<string, string> = {}, host = "example.com"): Secret => ({
  type: "kubernetes.io/basic-auth",
  annotations: { [annotations.host]: host },
  data: { username: "ada", password: PASSWORD, ...data },
});

describe("the credentials of Jobs", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let account: string;
  let controller: RunningService | undefined;
  /** The values that Jobs can refer to, by Secret, with the Job that owns it. */
  let given: Map<string, { value: string; job?: string }>;
  /** Secrets of the cluster, by namespace and name. */
  let secrets: Record<string, Secret>;
  let asked: string[];
  let core: Pick<CoreResources, "createSecret" | "deleteSecret" | "readSecret">;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    account = await insertAccount(database.db);
    given = new Map();
    ahead = 0;
    secrets = {};
    asked = [];
    core = {
      createSecret: async ({ metadata }, name, value) => {
        if (!given.has(name)) given.set(name, { value, job: metadata.uid });
      },
      deleteSecret: async (_, name) => void given.delete(name),
      readSecret: async (namespace, name) => {
        asked.push(`${namespace}/${name}`);
        return secrets[`${namespace}/${name}`];
      },
    };
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
    await database.drop();
  });

  /** How far the controller's clock is ahead, in milliseconds. */
  let ahead = 0;
  const start = () => {
    controller = startController(database, {
      encryptor,
      core,
      jobSecrets: createJobSecrets(core),
      now: () => new Date(Date.now() + ahead),
    });
  };
  /** Another controller takes over, and finds no Secret of a Job. */
  const restart = async () => {
    await controller?.stop();
    given.clear();
    start();
  };
  const create = (spec: Partial<ReportSpec>) =>
    createReport(cluster, account, { spec: { startingUrl: "https://staging.example.com/", ...spec } });
  const store = () =>
    insertBasicAuth(
      database.db,
      encryptor,
      { accountId: account, guestToken: null },
      { host: "staging.example.com", username: "ada", password: PASSWORD },
    );
  const jobsOf = async ({ metadata }: ReportResource) =>
    (await cluster.list("Job", { labels: { [labels.report]: metadata.uid } })).items;
  /** The report's Jobs, once all of them exist and their Secrets too. */
  const equipped = (report: ReportResource): Promise<JobResource[]> =>
    eventually(async () => {
      const jobs = await jobsOf(report);
      return jobs.length === 2 && given.size === 2 ? jobs : undefined;
    });
  const status = async ({ metadata }: ReportResource) =>
    (await cluster.get("Report", metadata.namespace, metadata.name))?.status;
  const crawled = async (report: ReportResource) =>
    (await status(report))?.conditions?.find(({ type }) => type === "Crawled");
  const failed = (report: ReportResource) =>
    eventually(async () => {
      const found = await status(report);
      return found?.phase === "Failed" ? found : undefined;
    });
  const values = () => [...given.values()].map(({ value }) => parseCredentials(value));
  const finish = async (job: JobResource) => {
    const fresh = (await cluster.get("Job", job.metadata.namespace, job.metadata.name)) ?? job;
    const conditions = [{ type: "Complete", status: "True" as const, lastTransitionTime: new Date().toISOString() }];
    await cluster.updateStatus<"Job">({ ...fresh, status: { conditions } });
  };

  it("are in a Secret of each Job, which is deleted when the report has ended", async () => {
    const { id } = await store();
    start();
    const report = await create({ basicAuthId: id });
    const jobs = await equipped(report);
    const auth = { host: "staging.example.com", username: "ada", password: PASSWORD };
    expect(values()).to.deep.equal([auth, auth]);
    for (const { metadata, spec } of jobs) {
      const name = `${metadata.name}-basic-auth`;
      const variable = { name: "BASIC_AUTH", valueFrom: { secretKeyRef: { name, key: name } } };
      expect(spec.template.spec.containers[0]?.env).to.deep.include(variable);
      expect(given.get(name)?.job).to.equal(metadata.uid);
    }
    const { rows } = await sql<{ text: string }>`select object::text as text from cluster_changes`.execute(database.db);
    expect(rows.length).to.be.greaterThan(0);
    expect(rows.filter(({ text }) => /pä55|ada"/.test(text))).to.deep.equal([]);

    await setReport(database.db, report.metadata.uid, { crawl_state: "ended", html_pending: 0 });
    await Promise.all(jobs.map(finish));
    await eventually(async () => (await status(report))?.phase === "Complete" && given.size === 0);
  });

  it("are deleted with their report", async () => {
    const { id } = await store();
    start();
    const report = await create({ basicAuthId: id });
    await equipped(report);
    await cluster.delete("Report", "default", report.metadata.name);
    await eventually(async () => given.size === 0);
  });

  it("are created on a later pass if the API server refused the first attempts", async () => {
    const { createSecret } = core;
    let failures = 3;
    core.createSecret = async (...args) => {
      if (failures-- > 0) throw new ClusterError("Unavailable", "The Kubernetes API server did not answer.");
      return createSecret(...args);
    };
    const { id } = await store();
    start();
    const jobs = await equipped(await create({ basicAuthId: id }));
    expect(jobs.map(({ metadata }) => given.get(`${metadata.name}-basic-auth`)?.job).sort()).to.deep.equal(
      jobs.map(({ metadata }) => metadata.uid).sort(),
    );
  });

  it("are created again by another controller, which does not know what this one created", async () => {
    const { id } = await store();
    start();
    await equipped(await create({ basicAuthId: id }));
    const before = new Map(given);
    await restart();
    await eventually(async () => given.size === before.size);
    expect(given).to.deep.equal(before);
    // Credentials deleted meanwhile become an empty value: a Job's reference must resolve.
    await database.db.deleteFrom("basic_auths").execute();
    await restart();
    await eventually(async () => given.size === before.size);
    expect(values()).to.deep.equal([undefined, undefined]);
  });

  it("stay in the Secrets of running Jobs if they are deleted and another controller takes over", async () => {
    const { id } = await store();
    start();
    const report = await create({ basicAuthId: id });
    await equipped(report);
    const before = new Map(given);
    await database.db.deleteFrom("basic_auths").execute();
    await controller?.stop();
    const jobSecrets = createJobSecrets(core);
    controller = startController(database, { encryptor, core, jobSecrets });
    const jobs = await jobsOf(report);
    await eventually(async () => jobSecrets.missing(jobs).length === 0);
    expect(given).to.deep.equal(before);
  });

  it("are not created for a report that names none", async () => {
    start();
    const report = await create({});
    const jobs = await eventually(async () => {
      const found = await jobsOf(report);
      return found.length === 2 ? found : undefined;
    });
    expect(JSON.stringify(jobs)).not.to.include("BASIC_AUTH");
    expect([given.size, asked]).to.deep.equal([0, []]);
  });

  it("fail a report whose stored credentials are gone, before anything is requested", async () => {
    start();
    const report = await create({ basicAuthId: "0b6f3c1e-0000-4000-8000-000000000001" });
    const { stopReason, conditions } = await failed(report);
    expect(stopReason).to.equal("CredentialsMissing");
    expect(conditions?.find(({ type }) => type === "Failed")?.message).to.match(/basic_auth_id .*SECRET_KEY/);
    expect(await jobsOf(report)).to.deep.equal([]);
  });

  it("can come from a Secret in the Report's own namespace", async () => {
    secrets["default/staging"] = named({}, "staging.example.com:8443");
    start();
    await equipped(await create({ startingUrl: "https://staging.example.com:8443/x", basicAuthSecret: "staging" }));
    expect(new Set(asked)).to.deep.equal(new Set(["default/staging"]));
    expect(values()[0]).to.deep.equal({ host: "staging.example.com:8443", username: "ada", password: PASSWORD });
  });

  it("are only for the host in a Secret's annotation, wherever the report starts", async () => {
    secrets["default/staging"] = named({}, "Other.example.com:443");
    start();
    await equipped(await create({ basicAuthSecret: "staging" }));
    expect(values().map((auth) => auth?.host)).to.deep.equal(["other.example.com", "other.example.com"]);
  });

  it("can come from a Secret that is created after the Report", async () => {
    secrets["elsewhere/staging"] = named();
    start();
    const report = await create({ basicAuthSecret: "staging" });
    const waiting = await eventually(async () => {
      const condition = await crawled(report);
      return condition?.reason === "WaitingForSecret" ? condition : undefined;
    });
    expect(waiting.message).to.equal("Secret default/staging, which basicAuthSecret names, does not exist.");
    expect(await jobsOf(report)).to.deep.equal([]);
    secrets["default/staging"] = named();
    await equipped(report);
  });

  it("have the headers of stored credentials", async () => {
    const headers = [{ name: "X-Preview", value: "t0ken" }];
    const scope = { accountId: account, guestToken: null };
    const { id } = await insertBasicAuth(database.db, encryptor, scope, { host: "staging.example.com", headers });
    start();
    await equipped(await create({ basicAuthId: id }));
    expect(values()[0]).to.deep.equal({ host: "staging.example.com", headers });
    const { rows } = await sql<{ text: string }>`select object::text as text from cluster_changes`.execute(database.db);
    expect(JSON.stringify(rows)).not.to.include("t0ken");
  });

  it("have the headers of a Secret, a line each, with a user or without", async () => {
    const lines = "X-Preview: t0ken\n\nCookie: sid=a:b; theme=dark\r\n";
    const headers = [
      { name: "X-Preview", value: "t0ken" },
      { name: "Cookie", value: "sid=a:b; theme=dark" },
    ];
    secrets["default/both"] = named({ headers: lines });
    secrets["default/alone"] = named({ headers: lines, username: "", password: "" });
    start();
    await equipped(await create({ basicAuthSecret: "both" }));
    expect(values()[0]).to.deep.equal({ host: "example.com", username: "ada", password: PASSWORD, headers });
    given.clear();
    await equipped(await create({ basicAuthSecret: "alone" }));
    expect(values()[0]).to.deep.equal({ host: "example.com", headers });
  });

  const wrong: [string, Secret | Error | undefined, RegExp][] = [
    ["is not there after a minute", undefined, /does not exist/],
    ["is of another type", { ...named(), type: "Opaque" }, /of type Opaque; it must be kubernetes.io\/basic-auth/],
    ["has a colon in the user's name", named({ username: "a:b" }), /without colons/],
    ["has a control character in it", named({ password: "a\nb" }), /may contain control characters/],
    ["has no user name", named({ username: "" }), /must have a username/],
    [
      "has neither a user nor headers",
      named({ username: "", password: "" }),
      /must have a username .*, headers, or a sign-in/,
    ],
    [
      "has a step that runs code",
      named({ "sign-in": "- { type: customStep }" }),
      /"sign-in" .* step 1: customStep runs code/,
    ],
    [
      "has no value of a variable",
      named({ "sign-in": "- { type: change, selector: a, value: $SHOP_PASSWORD }" }),
      /"sign-in" .* step 1: its value is a variable that has no value; add a key of that name to the Secret/,
    ],
    ["has a password alone beside headers", named({ username: "", headers: "X-A: b" }), /must have a username/],
    [
      "has a line that is not a header",
      named({ headers: `X-A: b\n${PASSWORD.replace(":", "")}` }),
      /line 2 has no colon/,
    ],
    [
      "has a header of the connection",
      named({ headers: `Host: ${PASSWORD}` }),
      /Host cannot be set: it belongs to the conn/,
    ],
    ["has a header of the user's", named({ headers: "Authorization: x" }), /Authorization cannot be set beside a user/],
    ["has a header that is not ASCII", named({ headers: `X-A: ${PASSWORD}` }), /value of X-A must be printable ASCII/],
    ["is for what is no host", named({}, "https://x/"), /which is not a host/],
    ["does not say for which host it is", { ...named(), annotations: {} }, /annotate it with sitevalidation.io\/host/],
    ["may not be read", new ClusterError("Forbidden", "no"), /cannot be read by the controller: see basicAuthSecrets/],
  ];
  // All at once, because each is looked for again after a second.
  it("fail a report whose Secret cannot be used, and say why", async () => {
    const nameOf = (index: number) => `staging-${index}`;
    core.readSecret = async (_, name) => {
      const [, secret] = wrong.find((_, index) => nameOf(index) === name) ?? expect.fail(`${name} was not named.`);
      if (secret instanceof Error) throw secret;
      return secret;
    };
    // The API server's clock does not count: it may be an hour behind.
    ahead = 3_600_000;
    start();
    const reports = await Promise.all(wrong.map((_, index) => create({ basicAuthSecret: nameOf(index) })));
    for (const report of reports) await eventually(async () => (await crawled(report))?.reason === "WaitingForSecret");
    ahead += 61_000;
    for (const [index, report] of reports.entries()) {
      const [what, , message] = wrong[index] ?? expect.fail();
      const { conditions } = await failed(report);
      const said = conditions?.find(({ type }) => type === "Failed")?.message;
      expect(said, what).to.match(message);
      expect(said, what).not.to.include(PASSWORD);
      expect(await jobsOf(report), what).to.deep.equal([]);
    }
  });
});
