import { expect } from "chai";
import { storeAssignment } from "../../../src/database/findings/assignments.ts";
import { readCauses } from "../../../src/database/findings/causes.ts";
import { insertReceiver } from "../../../src/database/receivers/receivers.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import type { Assignment } from "../../../src/domain/causes/assignment.ts";
import type { NewErrors, RunEnd } from "../../../src/domain/notifications/events.ts";
import { insertAccount } from "../../support/builders.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { personWithToken } from "../../support/people.ts";

const hour = 3_600_000;
const earlier: Site = { "/docs/a": [], "/docs/b": [], "/x": ["lang html p9"] };
const worse: Site = { "/docs/a": ["alt img p1"], "/docs/b": ["alt img p1"], "/x": ["lang html p9", "role div p2"] };
const nobody = { assignee: null, of: null, path: null, due_on: null };

describe("A message that a site got worse", () => {
  let database: TestDatabase;
  let accountId: string;
  beforeEach(async () => {
    database = await createTestDatabase();
    accountId = await insertAccount(database.db);
    const values = {
      ...{ kind: "mail" as const, name: "Web team", url: null, mail_addresses: ["ada@example.org"] },
      ...{ events: ["issues.new" as const], site_urls: [], tags: [], digest: "none" as const, time_zone: "UTC" },
    };
    await insertReceiver(database.db, createEncryptor("a key for tests of mails"), accountId, values, new Date());
  });
  afterEach(() => database?.drop());

  const run = (site: Site, hours: number) =>
    runReport(database.db, accountId, site, { at: new Date(Date.parse("2026-11-20T12:00:00Z") + hours * hour) });
  const give = (kind: "site" | "section" | "cause", part: string, holder: Partial<Assignment>) =>
    storeAssignment(
      database.db,
      { accountId, guestToken: null, startingUrl: "https://example.com/" },
      { kind, part },
      {
        ...{ assignee: "Editors", holder: "name", person_id: null, team_id: null, due_on: null },
        ...{ note: "Ticket 4512", done_at: null, ...holder },
      },
    );
  async function told(): Promise<{ causes: NewErrors[]; text: string }> {
    const rows = await database.db.selectFrom("deliveries").select("events").orderBy("seq", "desc").execute();
    const [{ events } = { events: [] }] = rows;
    return { causes: (events[0]?.data as RunEnd | undefined)?.causes ?? [], text: JSON.stringify(events) };
  }

  it("names each cause of new errors, those with the most first, and the nearest who has it", async () => {
    await run(earlier, 0);
    await give("site", "", { assignee: "Web team" });
    await give("section", "/docs/", { due_on: "2099-12-10" });
    const report = await run(worse, 1);
    const { causes, text } = await told();
    expect(causes.map(({ new: added, pages }) => [added, pages])).to.deep.equal([
      [2, 2],
      [1, 1],
    ]);
    expect(causes[0]).to.include({ assignee: "Editors", of: "section", path: "/docs/", due_on: "2099-12-10" });
    expect(causes[1]).to.include({ assignee: "Web team", of: "site", path: null, due_on: null });
    expect(causes[0]?.title).to.not.equal("");
    const known = (await readCauses(database.db, report)).causes.map(({ id }) => id);
    expect(known).to.include.members(causes.map(({ cause_id }) => cause_id));
    expect(text).to.not.include("Ticket 4512");
  });

  it("names who has the cause itself before whoever has its section, and nobody who is removed", async () => {
    await run(earlier, 0);
    await run(worse, 1);
    const [first] = (await told()).causes;
    expect(first).to.include(nobody);
    await give("section", "/docs/", {});
    await give("cause", first?.cause_id ?? "", { assignee: "Agency South" });
    await run(earlier, 2);
    await run(worse, 3);
    expect((await told()).causes[0]).to.include({ assignee: "Agency South", of: "cause" });
    const ada = await personWithToken(database, accountId, "editor");
    await give("cause", first?.cause_id ?? "", { assignee: "Ada", holder: "person", person_id: ada.id });
    await database.db.deleteFrom("api_tokens").where("id", "=", ada.id).execute();
    await run(earlier, 4);
    await run(worse, 5);
    expect((await told()).causes[0]).to.include(nobody);
  });

  it("names nothing that the site of somebody else is said to have", async () => {
    await run(earlier, 0);
    await storeAssignment(
      database.db,
      { accountId, guestToken: "a guest", startingUrl: "https://example.com/" },
      { kind: "site", part: "" },
      {
        assignee: "Somebody of a guest",
        holder: "name",
        person_id: null,
        team_id: null,
        due_on: null,
        note: null,
        done_at: null,
      },
    );
    await run(worse, 1);
    expect((await told()).text).to.not.include("guest");
  });
});
