import { expect } from "chai";
import { getJson, kubectl, poll } from "./support/commands.ts";
import { type Installation, install, readSecret, remove } from "./support/installation.ts";
import { faultySite, findingsOf, postReport, runningPod } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const PAGES = 40;

describe("a report in whose middle a pod is killed", () => {
  let installation: Installation;
  let token: string;
  let site: string;

  before(async () => {
    installation = await install("faults");
    token = await readSecret(installation, "first-token", "token");
    site = await deploySite(installation.namespace, faultySite(PAGES));
  });
  after(() => remove("faults"));

  const component = (name: string) => `app.kubernetes.io/instance=faults,app.kubernetes.io/component=${name}`;
  const kill = (pod: string) =>
    kubectl(["delete", "pod", "-n", installation.namespace, pod, "--grace-period=0", "--force"]);
  /** Slow enough that there is a middle. */
  const start = () => postReport(token, { starting_url: site, max_pages: 0, rate_limit: 3 });
  async function checkedOnce(id: string): Promise<void> {
    const { pages, checks } = await findingsOf(token, id);
    expect(pages).to.equal(PAGES);
    expect(checks.html?.status).to.deep.equal({ pending: 0, checked: PAGES, failed: 0 });
  }

  for (const stage of ["crawler", "html-checker"])
    it(`checks every page once though the ${stage} goes`, async () => {
      const id = await start();
      const selector = `sitevalidation.io/report=${id},sitevalidation.io/stage=${stage}`;
      await kill(await runningPod(installation.namespace, selector));
      await checkedOnce(id);
    });

  it("checks every page once though api and controller go", async () => {
    const id = await start();
    await runningPod(installation.namespace, `sitevalidation.io/report=${id},sitevalidation.io/stage=crawler`);
    await kubectl([
      ...["delete", "pod", "-n", installation.namespace, "--grace-period=0", "--force"],
      ...["-l", "app.kubernetes.io/instance=faults,app.kubernetes.io/component in (api,controller)"],
    ]);
    await kubectl([
      ...["rollout", "status", "-n", installation.namespace, "--timeout=180s"],
      `deployment/${installation.fullname}-api`,
    ]);
    await checkedOnce(id);
  });

  it("goes on under the other controller when the leader goes", async () => {
    const holder = async () => {
      const lease = ["lease", `${installation.fullname}-controller`, "-n", installation.namespace];
      return (await getJson<{ spec: { holderIdentity?: string } }>(lease)).spec.holderIdentity;
    };
    const leader = await poll(holder);
    const id = await start();
    await runningPod(installation.namespace, `sitevalidation.io/report=${id},sitevalidation.io/stage=crawler`);
    const others = await getJson<{ items: { metadata: { name: string } }[] }>([
      ...["pods", "-n", installation.namespace, "-l", component("controller")],
    ]);
    expect(others.items.map(({ metadata }) => metadata.name)).to.include(leader);
    await kill(leader);
    await poll(async () => (await holder()) !== leader);
    await checkedOnce(id);
  });
});
