import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("cancelling a report through the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    owner = await accountWithToken(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const starting_url = "https://example.com/";
  const create = async (token = owner.token) =>
    (await api.as(token)("POST", "/reports", { attributes: { starting_url } })).json.data.id;
  const patch = (id: string, attributes: object = { cancelled: true }, token = owner.token) =>
    api.as(token)("PATCH", `/reports/${id}`, { attributes });
  const set = (id: string, values: object) =>
    database.db.updateTable("reports").set(values).where("id", "=", id).execute();
  const resourceOf = async (id: string) =>
    (await api.deps.cluster.list("Report")).items.find(({ metadata }) => metadata.uid === id);

  it("writes it into resource and row, once however often it is asked for", async () => {
    const id = await create();
    for (const _ of [1, 2]) {
      const reply = await patch(id);
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.json.data.attributes).to.include({ cancelled: true, shared: false });
      const { spec, metadata } = (await resourceOf(id)) ?? {};
      expect([spec?.cancelled, metadata?.generation]).to.deep.equal([true, 2]);
      const read = await api.as(owner.token)("GET", `/reports/${id}`);
      expect(read.json.data.attributes.cancelled).to.equal(true);
    }
  });

  it("shares and cancels at once, and still shares what is cancelled", async () => {
    const id = await create();
    const both = await patch(id, { shared: true, cancelled: true });
    expect(both.json.data.attributes).to.include({ cancelled: true, shared: true });
    const unshared = await patch(id, { shared: false, cancelled: true });
    expect(unshared.json.data.attributes).to.include({ cancelled: true, shared: false });
    expect((await resourceOf(id))?.spec).to.include({ cancelled: true, shared: false });
  });

  it("refuses a report that has ended, also while a page of it is checked again, and changes nothing", async () => {
    for (const values of [
      { phase: "Complete" },
      { phase: "Failed" },
      { phase: "Checking", run_base: JSON.stringify({ "html-checker": 1 }) },
    ]) {
      const id = await create();
      await set(id, values);
      const reply = await patch(id, { cancelled: true, shared: true });
      expect([reply.status, reply.json.errors[0]?.code], reply.text).to.deep.equal([409, "report_ended"]);
      expect((await resourceOf(id))?.spec).to.include({ cancelled: false, shared: false });
    }
  });

  it("accepts one that was cancelled and has ended since", async () => {
    const id = await create();
    await patch(id);
    await set(id, { phase: "Complete" });
    expect((await patch(id)).status).to.equal(200);
  });

  it("refuses a report whose resource is being deleted", async () => {
    const id = await create();
    const resource = await resourceOf(id);
    await api.deps.cluster.delete("Report", "default", resource?.metadata.name ?? "");
    const reply = await patch(id);
    expect([reply.status, reply.json.errors[0]?.code], reply.text).to.deep.equal([409, "report_deleted"]);
  });

  it("takes only true: there is no way back, and nothing that only looks like it", async () => {
    const id = await create();
    for (const [cancelled, code] of [
      [false, "not_allowed"],
      ["true", "invalid_type"],
      [1, "invalid_type"],
      [null, "invalid_type"],
    ]) {
      const reply = await patch(id, { cancelled });
      expect([reply.status, reply.json.errors[0]?.code], reply.text).to.deep.equal([422, code]);
      expect(reply.json.errors[0]?.source).to.deep.equal({ pointer: "/data/attributes/cancelled" });
    }
    expect((await resourceOf(id))?.spec.cancelled).to.equal(false);
  });

  it("is no attribute of a new report or schedule", async () => {
    for (const path of ["/reports", "/schedules"]) {
      const attributes = { starting_url, cancelled: true };
      const reply = await api.as(owner.token)("POST", path, { attributes });
      const error = reply.json.errors.find(({ source }) => source?.pointer === "/data/attributes/cancelled");
      expect([reply.status, error?.code], reply.text).to.deep.equal([422, "unknown_attribute"]);
    }
  });

  it("is for its owner with the right to write: its host and its guest, no stranger, no other guest, no reader", async () => {
    const guest = await guestWithToken(database, owner.accountId);
    const others = [await accountWithToken(database), await guestWithToken(database, owner.accountId)];
    const id = await create(guest.token);
    for (const { token } of others) expect((await patch(id, { cancelled: true }, token)).status).to.equal(404);
    await patch(id, { shared: true }, guest.token);
    for (const { token } of others) expect((await patch(id, { cancelled: true }, token)).status).to.equal(404);
    const { token } = await createToken(database.db, { accountId: owner.accountId, name: "reader", scope: "read" });
    expect((await patch(id, { cancelled: true }, token)).status).to.equal(403);
    expect((await resourceOf(id))?.spec.cancelled).to.equal(false);
    expect((await patch(id, { cancelled: true }, guest.token)).status).to.equal(200);
    expect((await patch(await create(guest.token))).status, "by the host").to.equal(200);
    const ofHost = await create();
    expect((await patch(ofHost, { cancelled: true }, guest.token)).status, "the host's, by a guest").to.equal(404);
  });
});
