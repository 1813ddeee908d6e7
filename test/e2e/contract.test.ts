import { client } from "../contract/client.ts";
import { fixturePages } from "../contract/fixture-site.ts";
import { contract } from "../contract/rules/index.ts";
import { describeContract } from "../contract/suite.ts";
import { createNamespace, deleteNamespaces, kubectl } from "./support/commands.ts";
import { host, install, readSecret, remove } from "./support/installation.ts";
import { deploySite } from "./support/site-pod.ts";

const RELEASE = "contract";
const SITE = "contract-site";

describe("the contract, on a cluster through its ingress", function () {
  // Installing, and seven reports whose pods share the node with whatever else is there.
  this.timeout(600_000);
  after(async () => {
    await remove(RELEASE);
    await deleteNamespaces(SITE);
  });

  describeContract(contract, async () => {
    await createNamespace(SITE);
    const siteUrl = await deploySite(SITE, fixturePages);
    const installation = await install(RELEASE, { set: ["limits.requestsPerMinute=100000"] });
    const token = await readSecret(installation, "first-token", "token");
    const { namespace, fullname } = installation;
    const admin = ["node", "bundle/main/index.js", "admin", "accounts", "create", "Strangers"];
    const made = await kubectl(["exec", "-n", namespace, `deployment/${fullname}-api`, "--", ...admin]);
    const baseUrl = `http://${host()}`;
    return {
      baseUrl,
      send: client(baseUrl, process.env.INGRESS_ADDRESS ?? "127.0.0.1:8088"),
      token,
      strangersToken: (JSON.parse(made) as { token: string }).token,
      siteUrl,
    };
  });
});
