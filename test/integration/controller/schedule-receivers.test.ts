import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import type { Secret } from "../../../src/cluster/core-resources.ts";
import { ClusterError } from "../../../src/cluster/port.ts";
import type { ControllerDeps } from "../../../src/controller/deps.ts";
import { insertGuest } from "../../../src/database/accounts/guests.ts";
import { listDeclared } from "../../../src/database/receivers/declared.ts";
import { listDeliveries } from "../../../src/database/receivers/deliveries.ts";
import { destinationOf, disableReceiver, unsubscribe } from "../../../src/database/receivers/receivers.ts";
import { createDeliveryWorker } from "../../../src/delivery/worker.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { annotations, type ScheduleResource } from "../../../src/schema/resources.ts";
import type { ScheduleSpec } from "../../../src/schema/schedule.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type ReceiverServer, serveReceiver } from "../../support/receiver-server.ts";
import { applySchedule, scheduleWorld } from "../../support/schedules.ts";
import { eventually } from "../../support/wait.ts";

const encryptor = createEncryptor("a key for tests of declared receivers");
const signing = (letter: string) => `whsec_${Buffer.from(letter.repeat(24)).toString("base64")}`;
type Notifications = NonNullable<ScheduleSpec["notifications"]>;

describe("receivers that a Schedule declares", () => {
  let database: TestDatabase;
  let account: string;
  let world: ReturnType<typeof scheduleWorld>;
  let server: ReceiverServer;
  let secrets: Record<string, Secret | ClusterError>;
  let deps: Partial<ControllerDeps>;
  let recorded: string[];

  beforeEach(async () => {
    database = await createTestDatabase();
    account = await insertAccount(database.db);
    world = scheduleWorld(database);
    server = await serveReceiver();
    recorded = [];
    const { cluster } = world;
    secrets = { "default/tickets": secretOf({ url: `${server.url}/in`, "signing-secret": signing("a") }) };
    deps = {
      // The local cluster has no events.
      cluster: {
        ...cluster,
        record: async ({ reason, message }) => void recorded.push(`${reason}: ${message}`),
      },
      encryptor,
      delivery: { policy: addressPolicy(["127.0.0.0/8"]), mail: { url: "smtp://127.0.0.1:1", from: "a@example.com" } },
      core: {
        readSecret: async (namespace, name) => {
          const found = secrets[`${namespace}/${name}`];
          if (found instanceof ClusterError) throw found;
          return found;
        },
      },
    };
  });
  afterEach(async () => {
    await server.close();
    await database.drop();
  });

  function secretOf(data: Record<string, string>, type = "sitevalidation.io/receiver"): Secret {
    return { type, data, annotations: {} };
  }

  const hook = (values: Partial<Notifications[number]> = {}): Notifications[number] => ({
    ...{ name: "Tickets", kind: "webhook", secret: "tickets", events: ["report.failed"], digest: "none" },
    ...{ timeZone: "UTC", ...values },
  });
  const mail = (values: Partial<Notifications[number]> = {}): Notifications[number] => ({
    ...{ name: "Team", kind: "mail", mailAddresses: ["ada@example.com"], events: ["report.failed"], digest: "daily" },
    ...{ timeZone: "Europe/Berlin", ...values },
  });
  const reconcile = (schedule: ScheduleResource) => world.reconcileAll(schedule, deps);
  async function apply(...notifications: Notifications): Promise<ScheduleResource> {
    const schedule = await applySchedule(world.cluster, account, { notifications });
    await reconcile(schedule);
    return schedule;
  }
  const live = async ({ metadata }: ScheduleResource) => {
    const found = await world.cluster.get("Schedule", "default", metadata.name);
    if (!found) throw new Error("There is no such Schedule.");
    return found;
  };
  async function change(schedule: ScheduleResource, spec: Partial<ScheduleSpec>): Promise<void> {
    const before = await live(schedule);
    await world.cluster.update<"Schedule">({ ...before, spec: { ...before.spec, ...spec } });
    await reconcile(schedule);
  }
  const notifies = async (schedule: ScheduleResource) =>
    (await live(schedule)).status?.conditions?.find(({ type }) => type === "Notifies");
  const stored = async ({ metadata }: ScheduleResource) => listDeclared(database.db, metadata.uid);
  const names = async (schedule: ScheduleResource) => (await stored(schedule)).map(({ name }) => name);
  const entries = async () =>
    (await database.db.selectFrom("audit_entries").selectAll().orderBy("id").execute())
      .filter(({ area }) => area === "receivers")
      .map(({ who_name, verb, changes }) => [who_name, verb, changes.map(({ field }) => field)]);
  async function endRunOf(schedule: ScheduleResource | undefined): Promise<void> {
    const id = await insertReport(database.db, { accountId: account });
    const values = { crawl_state: "ended" as const, schedule_id: schedule?.metadata.uid ?? null };
    await database.db.updateTable("reports").set(values).where("id", "=", id).execute();
    expect(await endReport(database.db, id, "Failed", world.now())).to.equal(true);
  }
  const deliveries = async () =>
    (await listDeliveries(database.db, { accountId: account }, { limit: 100, offset: 0 })).rows;

  it("hear of its own runs alone, signed with the secret that their Secret has", async () => {
    const schedule = await apply(hook());
    const other = await apply();
    await endRunOf(other);
    await endRunOf(undefined);
    expect(await deliveries()).to.have.length(0);
    await endRunOf(schedule);
    const stop = new AbortController();
    const worker = createDeliveryWorker({ db: database.db, log: testLog, now: () => new Date(), ...deps });
    const running = worker.run(stop.signal);
    const [got] = await eventually(async () => server.got.length > 0 && server.got);
    stop.abort();
    await running;
    expect(got?.path).to.equal("/in");
    const sent = new Webhook(signing("a")).verify(got?.body ?? "", got?.headers as Record<string, string>);
    expect(sent).to.deep.include({ type: "report.failed" });
    expect(await notifies(schedule)).to.deep.include({
      ...{ status: "True", reason: "Declared", message: 'Messages are sent to "Tickets".' },
    });
    expect(await entries()).to.deep.equal([[`resource default/${schedule.metadata.name}`, "declared a receiver", []]]);
  });

  it("are stored encrypted, and in no status, event or entry", async () => {
    secrets["default/tickets"] = secretOf({ url: `${server.url}/hidden-path`, "signing-secret": signing("z") });
    await apply(hook());
    const dump = JSON.stringify([
      await database.db.selectFrom("receivers").select(["name", "url_encrypted", "secret_encrypted"]).execute(),
      await database.db.selectFrom("cluster_objects").selectAll().execute(),
      await database.db.selectFrom("audit_entries").selectAll().execute(),
    ]);
    expect(dump).not.to.include("hidden-path");
    expect(dump).not.to.include(signing("z"));
  });

  it("follow their Schedule and their Secrets: added, changed, signed with both secrets for a day, and gone", async () => {
    const schedule = await apply(hook(), mail());
    expect(await names(schedule)).to.deep.equal(["Team", "Tickets"]);
    secrets["default/tickets"] = secretOf({ url: `${server.url}/new`, "signing-secret": signing("b") });
    await change(schedule, { notifications: [hook({ events: ["issues.new"] })] });
    const [row] = await stored(schedule);
    if (!row) throw new Error("It is gone.");
    expect(row.events).to.deep.equal(["issues.new"]);
    expect(destinationOf(row, encryptor, world.now())).to.deep.equal({
      url: `${server.url}/new`,
      secrets: [signing("b"), signing("a")],
    });
    const name = `resource default/${schedule.metadata.name}`;
    expect((await entries()).slice(2)).to.deep.equal([
      [name, "deleted a receiver", []],
      [name, "changed a receiver", ["url", "events", "secret"]],
    ]);
    await reconcile(schedule);
    expect(await entries()).to.have.length(4);
    await change(schedule, { notifications: [] });
    expect(await names(schedule)).to.deep.equal([]);
    expect(await notifies(schedule)).to.equal(undefined);
  });

  it("stay switched off, and keep who has ended their mails, when something else changes", async () => {
    const schedule = await apply(mail({ mailAddresses: ["ada@example.com", "bob@example.com"] }));
    const [row] = await stored(schedule);
    await database.db.transaction().execute((trx) => disableReceiver(trx, row?.id ?? "", world.now()));
    await unsubscribe(database.db, row?.id ?? "", "bob@example.com");
    await change(schedule, { notifications: [mail({ digest: "weekly", mailAddresses: ["bob@example.com"] })] });
    const [after] = await stored(schedule);
    expect(after).to.deep.include({ id: row?.id, digest: "weekly", unsubscribed: ["bob@example.com"] });
    expect(after?.disabled_at).not.to.equal(null);
    expect(await notifies(schedule)).to.deep.include({ status: "False", reason: "SwitchedOff" });
  });

  it("are gone although the status does not say that there were some: it may be lost", async () => {
    const schedule = await apply(hook());
    const before = await live(schedule);
    await world.cluster.update<"Schedule">({ ...before, spec: { ...before.spec, notifications: [] } });
    await world.cluster.updateStatus<"Schedule">({ ...(await live(schedule)), status: { conditions: [] } });
    await reconcile(schedule);
    expect(await names(schedule)).to.deep.equal([]);
  });

  it("end with their Schedule, and are there again when it is restored", async () => {
    const schedule = await apply(hook());
    await world.cluster.delete("Schedule", "default", schedule.metadata.name);
    await reconcile(schedule);
    expect(await names(schedule)).to.deep.equal([]);
    expect((await entries()).map(([, verb]) => verb)).to.deep.equal(["declared a receiver", "deleted a receiver"]);
    const { name, annotations } = schedule.metadata;
    const again = await applySchedule(world.cluster, account, { notifications: [hook()] }, { name, annotations });
    await reconcile(again);
    expect(await names(again)).to.deep.equal(["Tickets"]);
  });

  it("keep what is stored while their Secret is away, and say so once", async () => {
    const schedule = await apply(hook(), mail());
    const [before] = (await stored(schedule)).filter(({ name }) => name === "Tickets");
    delete secrets["default/tickets"];
    expect(await reconcile(schedule)).to.be.at.most(60_000);
    expect(await notifies(schedule)).to.deep.include({
      ...{ status: "False", reason: "InvalidReceiver", message: "Secret default/tickets does not exist." },
    });
    expect((await stored(schedule)).filter(({ name }) => name === "Tickets")).to.deep.equal([before]);
    await reconcile(schedule);
    expect(recorded).to.deep.equal(["InvalidReceiver: Secret default/tickets does not exist."]);
  });

  const wrong: [string, Partial<Record<"secret", Secret | ClusterError>>, Partial<Notifications[number]>, RegExp][] = [
    ["a Secret of another type", { secret: secretOf({ url: "https://example.com/" }, "Opaque") }, {}, /of type Opaque/],
    ["a Secret that may not be read", { secret: new ClusterError("Forbidden", "no") }, {}, /notifications\.secrets/],
    ["a Secret without an address", { secret: secretOf({}) }, {}, /no key url/],
    ["a webhook without a signing secret", { secret: secretOf({ url: "https://example.com/" }) }, {}, /signing-secret/],
    [
      "a signing secret that is too short",
      { secret: secretOf({ url: "https://example.com/", "signing-secret": "whsec_c2hvcnQ=" }) },
      {},
      /signing-secret/,
    ],
    ["an address inside", { secret: secretOf({ url: "https://10.0.0.1/x" }) }, { kind: "slack" }, /own network/],
    [
      "an address with a user",
      { secret: secretOf({ url: "https://a:b@example.com/" }) },
      { kind: "teams" },
      /user name/,
    ],
    ["a time zone that there is not", {}, { timeZone: "Europe/Nowhere" }, /IANA/],
  ];
  for (const [what, { secret }, values, message] of wrong)
    it(`are refused with ${what}, and the others are told`, async () => {
      if (secret) secrets["default/tickets"] = secret;
      const schedule = await apply(hook(values), mail());
      expect((await notifies(schedule))?.message).to.match(message);
      expect((await notifies(schedule))?.message).not.to.include("a:b@");
      expect(await names(schedule)).to.deep.equal(["Team"]);
    });

  it("are nobody's for a guest's Schedule, without a key, and where nothing is sent", async () => {
    const guest = { [annotations.account]: account, [annotations.guest]: await insertGuest(database.db, account, 10) };
    const schedule = await applySchedule(world.cluster, account, { notifications: [hook()] }, { annotations: guest });
    await reconcile(schedule);
    expect(await notifies(schedule)).to.deep.include({ status: "False", reason: "GuestSchedule" });
    deps = { ...deps, encryptor: undefined } as Partial<ControllerDeps>;
    expect(await notifies(await apply(hook()))).to.deep.include({ status: "False", reason: "NoSecretKey" });
    deps = { ...deps, delivery: undefined } as Partial<ControllerDeps>;
    expect(await notifies(await apply(hook()))).to.deep.include({ status: "False", reason: "NotificationsOff" });
    expect(await database.db.selectFrom("receivers").selectAll().execute()).to.deep.equal([]);
  });
});
