import { administer } from "../../../src/cli/admin.ts";
import { client } from "../../contract/client.ts";
import { fixturePages } from "../../contract/fixture-site.ts";
import { contract } from "../../contract/rules/index.ts";
import { describeContract } from "../../contract/suite.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { ownAddress } from "../../support/own-address.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

describe("the contract, standalone", function () {
  // Nine reports are checked before the first rule, and some rules wait for others.
  this.timeout(limitOf(120));
  let sandbox: Sandbox;
  let database: TestDatabase;
  let site: Site;
  /** A guest of the contract checks the site, too, and may not on loopback. */
  const address = ownAddress();

  before(function () {
    if (address !== undefined) return;
    console.warn("    NOT RUN: this machine has no address but loopback, which is closed to guests.");
    this.skip();
  });
  after(async () => {
    await sandbox?.close();
    await site?.close();
    await database?.drop();
  });

  describeContract(contract, async () => {
    [sandbox, database, site] = await Promise.all([
      openSandbox(),
      createTestDatabase(),
      serveSite({ ...fixturePages }, address),
    ]);
    const token = "svt_contract-of-the-host-0123456789abcdef";
    const program = sandbox.start(["standalone"], {
      DATA_DIR: sandbox.folder,
      DATABASE_URL: database.url,
      PORT: "0",
      FIRST_TOKEN: token,
      REQUESTS_PER_MINUTE: "100000",
      ALLOWED_PRIVATE_CIDRS: `${address}/32`,
    });
    const failed = program.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
    failed.catch(() => {});
    await Promise.race([eventually(() => program.stdout().includes("starting_url")), failed]);
    const baseUrl = /listens on (\S+)/.exec(program.stdout())?.[1] ?? "";
    const stranger = JSON.parse(await administer(["accounts", "create", "Strangers"], (work) => work(database.db)));
    const send = client(baseUrl);
    return {
      baseUrl,
      // What cuts a connection is in the service's log, if anywhere.
      send: (outgoing) =>
        send(outgoing).catch((cause: unknown) => {
          const log = `${program.stdout()}${program.stderr()}`.slice(-3_000);
          throw new Error(`${outgoing.method} ${outgoing.path}: ${cause}. The service's log ends with: ${log}`, {
            cause,
          });
        }),
      token,
      strangersToken: stranger.token,
      siteUrl: site.url,
    };
  });
});
