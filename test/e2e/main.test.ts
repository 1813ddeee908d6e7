import { expect } from "chai";
import { contract, mainWalk } from "../contract/rules/index.ts";
import { describeContract } from "../contract/suite.ts";
import { serveSite } from "../support/site.ts";
import { createNamespace, deleteNamespaces, kubectl } from "./support/commands.ts";
import { contractTarget, contractValues } from "./support/contract-target.ts";
import { type Installation, install, readSecret, remove } from "./support/installation.ts";
import {
  applyReport,
  faultySite,
  findingsOf,
  findingsStandalone,
  getReport,
  MAX_PAGES,
  MAX_RATE_LIMIT,
  postReport,
} from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const pages = faultySite(5);

/**
 * What CI runs whatever has changed: one installation, with a walk through the contract, or with E2E_CONTRACT=all the whole
 * contract, and a report in every way.
 */
describe("an installation on a cluster", function () {
  // Installing, and reports whose pods share the node with whatever else is there.
  this.timeout(600_000);
  let installation: Installation;

  before(async () => {
    installation = await install("main", { set: contractValues });
  });
  after(async () => {
    await remove("main");
    await deleteNamespaces("site", "main-site");
  });

  describe("keeps the contract, through its ingress", () =>
    describeContract(process.env.E2E_CONTRACT === "all" ? contract : mainWalk, () =>
      contractTarget(installation, "main-site"),
    ));

  it("has the same results of a report through the API, by kubectl and on one machine", async () => {
    await createNamespace("site");
    const site = await deploySite("site", pages);
    const token = await readSecret(installation, "first-token", "token");
    const local = await serveSite(pages);
    const expected = await findingsStandalone(local.url, ["--a11y", "--standard", "all"]).finally(() => local.close());
    expect(expected.pages).to.equal(5);

    const attributes = {
      starting_url: site,
      max_pages: MAX_PAGES,
      rate_limit: MAX_RATE_LIMIT,
      perform_a11y_checks: true,
    };
    const posted = await postReport(token, attributes);
    const spec = { startingUrl: site, maxPages: MAX_PAGES, rateLimit: MAX_RATE_LIMIT, performA11yChecks: true };
    await applyReport(installation.namespace, "by-kubectl", spec);
    expect(await findingsOf(token, posted)).to.deep.equal(expected);

    await kubectl([
      ...["wait", "-n", installation.namespace, "--for=condition=Complete", "--timeout=200s"],
      "report/by-kubectl",
    ]);
    const { metadata, status } = await getReport(installation.namespace, "by-kubectl");
    expect(status?.phase).to.equal("Complete");
    expect(status?.pages).to.equal(5);
    expect(await findingsOf(token, metadata.uid)).to.deep.equal(expected);
  });
});
