import { expect } from "chai";
import type { List, One } from "../../../src/api/documents.ts";
import { insertPerson } from "../../../src/database/accounts/people.ts";
import { accountWithToken } from "../../support/api.ts";
import { runReport } from "../../support/compared-sites.ts";
import { personWithToken, signedInAs } from "../../support/people.ts";
import { open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import type { WebClient } from "../../support/web-service.ts";

const site = { "/": ["alt img p1", "lang html p2"], "/two": ["alt img p1"] };

describe("Who mends a cause is chosen among people", () => {
  let scene: PagesScene;
  let ada: { id: string; mail: string; token: string };
  let client: WebClient;
  let report: string;
  let cause: string;
  signedInToPages((made) => {
    scene = made;
  });

  const as = (token: string) => scene.service.as(token);
  const list = async (token: string, query = "") =>
    (await as(token)("GET", `/reports/${report}/causes${query}`)).json as unknown as List<"cause">;

  beforeEach(async () => {
    ada = await personWithToken(scene.database, scene.accountId, "editor", { mail: "ada@example.org" });
    client = await signedInAs(scene.service.url, ada.mail);
    report = await runReport(scene.database.db, scene.accountId, site, { at: new Date() });
    cause = `/reports/${report}/causes/${(await list(scene.token)).data[0]?.id}`;
  });

  it("by the person who is signed in, who finds it as the own", async () => {
    const page = await open(client, cause);
    expect(textOf(page, "#who fieldset")).to.match(/I \(ada\).*Somebody else/);
    expect(page("[name=who]:checked").attr("value")).to.equal(`person:${ada.id}`);
    await press(client, page, cause, { act: "save", who: `person:${ada.id}`, due_on: "" });
    expect(textOf(await open(client, `/reports/${report}`), ".fixes")).to.include("ada has it. Change");
    expect(textOf(await open(client, `/reports/${report}/causes`), ".tools")).to.match(/mine ?1/);
    expect(textOf(await open(client, `/reports/${report}/causes?mine=true`), "tbody")).to.include("ada");
    expect((await list(ada.token, "?filter[mine]=true")).data).to.have.length(1);
    expect((await list(scene.token, "?filter[mine]=true")).data).to.have.length(0);
  });

  it("never among those of another account, nor shown to them or to guests", async () => {
    const other = await accountWithToken(scene.database);
    const stranger = await personWithToken(scene.database, other.accountId, "editor", { mail: "eve@example.org" });
    const { status, text } = await as(ada.token)("PATCH", cause, { attributes: { person_id: stranger.id } });
    expect(status).to.equal(422);
    expect(text).to.include("the account has no such person").and.not.include("eve");
    expect((await as(ada.token)("GET", "/assignees")).text).to.not.include("eve");
    expect((await as(stranger.token)("GET", "/assignees")).text).to.not.include("ada");
  });

  it("by editors alone", async () => {
    const reader = await personWithToken(scene.database, scene.accountId, "reader");
    expect((await as(reader.token)("PATCH", cause, { attributes: { person_id: ada.id } })).status).to.equal(403);
    expect((await as(reader.token)("GET", "/assignees")).status).to.equal(403);
    expect((await list(reader.token)).data[0]?.attributes.assignment).to.equal(null);
  });

  it("who are shown as they are called now, and by the last name when they are removed", async () => {
    await as(ada.token)("PATCH", cause, { attributes: { person_id: ada.id } });
    await as(scene.token)("PATCH", `/people/${ada.id}`, { attributes: { name: "<b>Ada</b>" } });
    expect(textOf(await open(scene.client, `/reports/${report}`), ".fixes")).to.include("<b>Ada</b> has it");
    await as(scene.token)("DELETE", `/people/${ada.id}`);
    expect(textOf(await open(scene.client, `/reports/${report}`), ".fixes")).to.include("<b>Ada</b> (removed) has it");
    const { assignment } = (await list(scene.token)).data[0]?.attributes ?? {};
    expect(assignment).to.include({ assignee: "<b>Ada</b>", holder: "person", person_id: null, is_left: true });
  });

  it("who keep what they have when others save a note and the one who has it was removed", async () => {
    const bob = await personWithToken(scene.database, scene.accountId, "editor", { mail: "bob@example.org" });
    await as(ada.token)("PATCH", cause, { attributes: { person_id: bob.id } });
    await as(scene.token)("DELETE", `/people/${bob.id}`);
    const page = await open(client, cause);
    expect(page("[name=who]:checked").parent().text()).to.include("bob (removed)");
    await press(client, page, cause, { act: "save", note: "Ask the agency." });
    const { assignment } = (await list(scene.token)).data[0]?.attributes ?? {};
    expect(assignment).to.include({ assignee: "bob", note: "Ask the agency.", is_left: true });
  });

  it("and stay in a team that is renamed, however many people there are", async () => {
    const { db } = scene.database;
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 1) {
      const person = {
        accountId: scene.accountId,
        name: `Person ${String(n).padStart(3, "0")}`,
        role: "reader" as const,
      };
      ids.push(await insertPerson(db, { ...person, mail: `person-${n}@example.org` }));
    }
    const last = ids.at(-1) ?? "";
    const attributes = { name: "Late ones", member_ids: [last] };
    const path = `/teams/${(await as(scene.token)("POST", "/teams", { attributes })).json.data.id}`;
    const page = await open(scene.client, path);
    await press(scene.client, page, path, { name: "Others" });
    const { data } = (await as(scene.token)("GET", path)).json as unknown as One<"team">;
    expect(data.attributes.name).to.equal("Others");
    expect(data.attributes.members.map(({ id }) => id)).to.deep.equal([last]);
    expect((await open(client, cause))("#field-who option").length).to.be.above(120);
  });
});
