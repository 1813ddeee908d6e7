import { expect } from "chai";
import { describeClusterFaults } from "./parts/cluster-faults.ts";
import { describeTroubles } from "./parts/troubles.ts";
import { getJson, kubectl, poll } from "./support/commands.ts";
import { type Installation, install, readSecret, remove, throughIngress } from "./support/installation.ts";
import { type Findings, faultySite, findingsOf, MAX_PAGES, postReport, runningPod } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const PAGES = 40;
/** At one page per second, more than a test waits for. */
const ALL_PAGES = 400;
type ControllerPod = { metadata: { name: string }; status: { containerStatuses?: { restartCount: number }[] } };
type Job = { metadata: { name: string }; status: { failed?: number; conditions?: { type: string }[] } };
type Pod = { metadata: { name: string; deletionTimestamp?: string }; status: { phase: string } };

/** The requirement is a time, so anything slower fails. */
async function within<Value>(ms: number, look: () => Promise<Value | undefined>): Promise<Value> {
  const end = Date.now() + ms;
  return poll(async () => {
    if (Date.now() > end) throw new Error(`Nothing came in ${ms / 1000} s.`);
    return look();
  });
}

describe("a report during which pods are killed", () => {
  let installation: Installation;
  let token: string;
  let site: string;

  before(async () => {
    installation = await install("faults");
    token = await readSecret(installation, "first-token", "token");
    site = await deploySite(installation.namespace, faultySite(ALL_PAGES));
  });
  after(() => remove("faults"));

  const component = (name: string) => `app.kubernetes.io/instance=faults,app.kubernetes.io/component=${name}`;
  const kill = (pod: string) =>
    kubectl(["delete", "pod", "-n", installation.namespace, pod, "--grace-period=0", "--force"]);
  /** Slow enough to kill a pod in the middle. */
  const start = (attributes: Record<string, unknown> = {}) =>
    postReport(token, { starting_url: site, max_pages: PAGES, rate_limit: 3, ...attributes });
  const podsOf = (id: string, stage: string) => `sitevalidation.io/report=${id},sitevalidation.io/stage=${stage}`;
  async function checkedOnce(id: string): Promise<Findings> {
    const found = await findingsOf(token, id);
    expect(found.pages).to.equal(PAGES);
    expect(found.checks.html?.status).to.deep.equal({ pending: 0, checked: PAGES, failed: 0 });
    return found;
  }

  describe("beside others", () => {
    const cases: Record<string, () => Promise<unknown>> = {
      "checks every page once although the crawler is killed": () => killOne("crawler"),
      "checks every page once although the html-checker is killed": () => killOne("html-checker"),

      "checks every page once although the a11y-checker is killed": async () => {
        const id = await start({ perform_a11y_checks: true });
        const pod = await runningPod(installation.namespace, podsOf(id, "a11y-checker"));
        await poll(async () => (await checkedBy(id)) > 0);
        await kill(pod);
        const { checks } = await checkedOnce(id);
        expect(checks.a11y?.status).to.deep.equal({ pending: 0, checked: PAGES, failed: 0 });
        // One image without alternative text per page, and the findings about titles and lists: no page counts twice.
        const errors = checks.a11y?.issues.errors ?? 0;
        expect(errors).to.be.greaterThan(0);
        expect(errors % PAGES).to.equal(0);
      },

      "checks every page once although a checker is evicted, and its Job goes on": async () => {
        const { namespace } = installation;
        const id = await start();
        const pod = await runningPod(namespace, podsOf(id, "html-checker"));
        const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod, namespace } };
        const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`;
        await kubectl(["create", "--raw", path, "-f", "-"], JSON.stringify(eviction));
        await checkedOnce(id);
        const { items } = await getJson<{ items: Job[] }>(["jobs", "-n", namespace, "-l", podsOf(id, "html-checker")]);
        // The other pod may be gone before anybody has seen it.
        const made = ["--field-selector", `involvedObject.name=${items[0]?.metadata.name},reason=SuccessfulCreate`];
        const { items: events } = await getJson<{ items: { message: string }[] }>(["events", "-n", namespace, ...made]);
        expect(new Set(events.map(({ message }) => message)).size, "pods that were created").to.be.at.least(2);
        expect(items.map(({ status }) => status.failed ?? 0)).to.deep.equal([0]);
        expect(items.flatMap(({ status }) => status.conditions ?? []).map(({ type }) => type)).not.to.include("Failed");
      },
    };
    async function killOne(stage: string) {
      const id = await start();
      await kill(await runningPod(installation.namespace, podsOf(id, stage)));
      await checkedOnce(id);
    }

    /** What each came to. Most of their time they wait for pods, so all of them run together, also when one is asked for. */
    const outcomes = new Map<string, Promise<unknown>>();
    before(() => {
      for (const [name, run] of Object.entries(cases)) {
        const outcome = run();
        // Its test reports a failure, later.
        outcome.catch(() => {});
        outcomes.set(name, outcome);
      }
    });
    after(() => Promise.allSettled(outcomes.values()));
    for (const name of Object.keys(cases)) it(name, () => outcomes.get(name));
  });

  it("replaces a pod within a minute, however often it is killed, and says so", async () => {
    // Its Job gives up after the third, and Kubernetes' own back-off doubles with each.
    const id = await start({ max_pages: MAX_PAGES, rate_limit: 1 });
    const gone = new Set<string>();
    for (let count = 0; count < 4; count++) {
      const pod = await within(60_000, () => otherPod(podsOf(id, "html-checker"), gone));
      gone.add(pod);
      await kill(pod);
    }
    await within(60_000, () => otherPod(podsOf(id, "html-checker"), gone));
    const { items } = await getJson<{ items: { reason: string; involvedObject: { uid: string } }[] }>([
      ...["events", "-n", installation.namespace, "--field-selector", `involvedObject.uid=${id}`],
    ]);
    expect(items.map(({ reason }) => reason)).to.include.members(["Started", "JobRetried"]);
    await kubectl(["delete", "reports.sitevalidation.io", "-n", installation.namespace, "--all", "--timeout=120s"]);
  });

  /** How many pages of a report the browser has checked. */
  async function checkedBy(id: string): Promise<number> {
    const { body } = await throughIngress<{ data: { attributes: { checks: Findings["checks"] } } }>(
      `/api/v1/reports/${id}`,
      { token },
    );
    return body.data.attributes.checks.a11y?.status.checked ?? 0;
  }

  /** A running pod that is not one of those that were killed. */
  async function otherPod(selector: string, gone: ReadonlySet<string>): Promise<string | undefined> {
    const { items } = await getJson<{ items: Pod[] }>(["pods", "-n", installation.namespace, "-l", selector]);
    return items.find(
      ({ metadata, status }) =>
        status.phase === "Running" && metadata.deletionTimestamp === undefined && !gone.has(metadata.name),
    )?.metadata.name;
  }

  it("checks every page once although api and controller are killed", async () => {
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

  const lease = () => ["lease", `${installation.fullname}-controller`, "-n", installation.namespace];
  const holder = async () => (await getJson<{ spec: { holderIdentity?: string } }>(lease())).spec.holderIdentity;

  it("goes on when another controller takes the leader's Lease, and no controller exits", async () => {
    /** Every controller's pod, and how often its container has ended. */
    const controllers = async () => {
      const { items } = await getJson<{ items: ControllerPod[] }>([
        ...["pods", "-n", installation.namespace, "-l", component("controller")],
      ]);
      return items.map(({ metadata, status }) => `${metadata.name} ${status.containerStatuses?.[0]?.restartCount}`);
    };
    const deployment = `deployment/${installation.fullname}-controller`;
    await kubectl(["rollout", "status", "-n", installation.namespace, "--timeout=180s", deployment]);
    await poll(holder);
    const before = await controllers();
    const id = await start();
    await runningPod(installation.namespace, podsOf(id, "crawler"));
    await kubectl(["patch", ...lease(), "--type=merge", "-p", '{"spec":{"holderIdentity":"thief"}}']);
    await poll(async () => (await holder()) !== "thief");
    await checkedOnce(id);
    expect(await controllers()).to.have.members(before);
  });

  it("goes on under the other controller when the leader is killed", async () => {
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

  describeClusterFaults(() => ({ installation, token, site }));
  // The last one: it changes the installation's values.
  describeTroubles(() => ({ installation, site }));
});
