import { expect } from "chai";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { scheduleWorld } from "../../support/schedules.ts";

describe("reports and schedules of a guest", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const ownMachine = [
    "http://localhost/",
    "http://LOCALHOST.:8080/",
    "http://a.localhost/",
    "http://127.1/",
    "http://[::1]/",
  ];

  it("cannot start at the service's own machine, as those of their host can", async () => {
    const host = await accountWithToken(database);
    const guest = await guestWithToken(database, host.accountId);
    for (const starting_url of [...ownMachine, "http://2130706433/", "http://0x7f000001/"])
      for (const path of ["/reports", "/schedules"]) {
        const attributes = { starting_url, ...(path === "/schedules" && { periodicity: null }) };
        const reply = await api.as(guest.token)("POST", path, { attributes });
        expect([reply.status, reply.json.errors?.[0]?.code], `${path} ${starting_url}`).to.deep.equal([
          ...[422, "closed_to_guests"],
        ]);
        expect(reply.json.errors?.[0]?.source).to.deep.equal({ pointer: "/data/attributes/starting_url" });
        expect((await api.as(host.token)("POST", path, { attributes })).status).to.equal(201);
      }
  });

  it("cannot be moved to the service's own machine later, not even by their host", async () => {
    const host = await accountWithToken(database);
    const guest = await guestWithToken(database, host.accountId);
    const attributes = { starting_url: "https://example.com/", periodicity: null };
    const made = (await api.as(guest.token)("POST", "/schedules", { attributes })).json.data;
    for (const token of [guest.token, host.token])
      for (const starting_url of ownMachine) {
        const reply = await api.as(token)("PATCH", `/schedules/${made.id}`, { attributes: { starting_url } });
        expect([reply.status, reply.json.errors?.[0]?.code], starting_url).to.deep.equal([422, "closed_to_guests"]);
      }
  });
});

describe("schedules of a guest whose account is deleted", () => {
  let database: TestDatabase;
  let api: TestApi;
  let world: ReturnType<typeof scheduleWorld>;

  before(async () => {
    database = await createTestDatabase();
    world = scheduleWorld(database);
    api = await startTestApi(database, {
      cluster: world.cluster,
      now: world.now,
      encryptor: createEncryptor("a secret of this test"),
    });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  it("are inactive at once, ignore their hooks, and are deactivated again when somebody activates them", async () => {
    const host = await accountWithToken(database);
    const call = api.as(host.token);
    const guest = await guestWithToken(database, host.accountId);
    const attributes = { starting_url: "https://example.com/", periodicity: { every: "day", at: "06:00" } };
    const made = (await api.as(guest.token)("POST", "/schedules", { attributes })).json.data;
    const hosts = (await call("POST", "/schedules", { attributes })).json.data;
    const hook = String(made.attributes.deploy_hook_url).replace(`${api.url}/api/v1`, "");
    const resource = async (id: string) => {
      const { items } = await world.cluster.list("Schedule");
      const found = items.find(({ metadata }) => metadata.uid === id);
      if (!found) throw new Error("The schedule's resource is gone.");
      return found;
    };
    const activity = async (id: string) => {
      const { active, next_run_at } = (await call("GET", `/schedules/${id}`)).json.data.attributes;
      return [active, next_run_at !== null];
    };
    await world.reconcileAll(await resource(made.id));
    expect(await activity(made.id)).to.deep.equal([true, true]);

    expect((await call("DELETE", `/guest_accounts/${guest.guestToken}`)).status).to.equal(204);
    expect(await activity(made.id)).to.deep.equal([false, false]);
    expect((await api.as(undefined)("POST", hook)).status).to.equal(409);
    world.at(new Date(Date.now() + 3 * 86_400_000));
    await world.reconcileAll(await resource(made.id));
    expect((await resource(made.id)).spec.active).to.equal(false);
    expect(await world.reports(await resource(made.id))).to.deep.equal([]);

    await call("PATCH", `/schedules/${made.id}`, { attributes: { active: true } });
    await world.reconcileAll(await resource(made.id));
    expect(await activity(made.id)).to.deep.equal([false, false]);
    expect(await world.reports(await resource(made.id))).to.deep.equal([]);

    // The host's own go on.
    await world.reconcileAll(await resource(hosts.id));
    expect(await activity(hosts.id)).to.deep.equal([true, true]);
    expect(await world.reports(await resource(hosts.id))).to.have.length(1);
  });
});
