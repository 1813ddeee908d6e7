import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import type { TestApi } from "../../support/api.ts";
import type { TestDatabase } from "../../support/database.ts";
import { open, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

describe("A report's actions", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let token: string;
  let client: WebClient;
  signedInToPages((scene) => {
    ({ database, service, accountId, token, client } = scene);
  });

  const read = async (path: string) => (await service.as(token)("GET", path)).json.data;

  it("start another report with the same settings, its device and gate among them", async () => {
    const form = await open(client, "/reports/new");
    const device = form('[name="device_id"] option:contains("iPhone 8,")').attr("value") ?? "";
    const { location } = await press(client, form, "/reports/new", {
      ...{ starting_url: "https://example.com/", device_id: device, exclusions: "/a\n/b", tags: "shop, live" },
      ...{ "gate.max_errors": "3", deep_crawl: undefined, max_pages: "7" },
    });
    const path = location ?? "";
    await database.db.updateTable("reports").set({ phase: "Complete" }).execute();
    const again = await press(client, await open(client, path), `${path}/again`);
    expect(again.location).to.not.equal(path);
    const [first, second] = [await read(path), await read(again.location ?? "")];
    const settings = ["exclusions", "tags", "gate", "deep_crawl", "max_pages", "standard", "store_screenshot"];
    for (const name of settings) expect(second.attributes[name], name).to.deep.equal(first.attributes[name]);
    expect(device).to.not.equal("");
    expect(second.relationships.device?.links.related).to.include(device);
  });

  it("keep the further devices, and say what checks on all of them may use", async () => {
    const states = "- name: open\n  steps:\n    - { type: click, selectors: [button] }";
    const form = await open(client, "/reports/new");
    const device = form('[name="devices"] option').first().attr("value") ?? "";
    const filled = {
      starting_url: "https://example.com/",
      devices: device,
      states,
      max_pages: "5",
      deep_crawl: undefined,
    };
    const { location } = await press(client, form, "/reports/new", filled);
    await database.db.updateTable("reports").set({ phase: "Complete" }).execute();
    const again = await press(client, await open(client, location ?? ""), `${location}/again`);
    expect((await read(again.location ?? "")).attributes.devices).to.deep.equal([device]);
    const refused = await press(client, await open(client, "/reports/new"), "/reports/new", {
      ...filled,
      starting_url: "nowhere",
    });
    // HTML once; accessibility on two devices, on each as it is and in a state.
    expect(textOf(refused)).to.include("uses up to 25 credits");
  });

  it("are left out for a token that only reads", async () => {
    const form = await open(client, "/reports/new");
    const { location } = await press(client, form, "/reports/new", { starting_url: "https://example.com/" });
    const { token: readToken } = await createToken(database.db, { accountId, name: "r", scope: "read" });
    const reader = await signedIn({ url: service.url, token: readToken });
    for (const path of ["/", "/reports/new", location ?? ""]) {
      const page = await open(reader, path);
      expect(textOf(page), path).to.include("can only read");
      expect(page('main form[method="post"]').length, path).to.equal(0);
      expect(page('main a[href$="/new"]').length, path).to.equal(0);
      expect(textOf(page), path).to.not.include("Delete");
    }
  });
});
