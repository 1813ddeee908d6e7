import { contract } from "../contract/rules/index.ts";
import { describeContract } from "../contract/suite.ts";
import { deleteNamespaces } from "./support/commands.ts";
import { contractTarget, contractValues } from "./support/contract-target.ts";
import { install, remove } from "./support/installation.ts";

const RELEASE = "contract";
const SITE = "contract-site";

describe("the contract, on a cluster through its ingress", function () {
  // Installing, and seven reports whose pods share the node with whatever else is there.
  this.timeout(600_000);
  after(async () => {
    await remove(RELEASE);
    await deleteNamespaces(SITE);
  });

  describeContract(contract, async () => contractTarget(await install(RELEASE, { set: contractValues }), SITE));
});
