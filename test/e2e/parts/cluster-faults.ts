import { expect } from "chai";
import { getJson, kubectl, poll, refusal, run } from "../support/commands.ts";
import { type Installation, rolledOut } from "../support/installation.ts";
import { type Findings, findingsOf, postReport, runningPod } from "../support/reports.ts";

const PAGES = 40;
/** reliability: so soon after a fault all is as it should be. */
const CONVERGED_MS = 60_000;

type Pods = { items: { metadata: { name: string }; status: { podIP?: string } }[] };

/**
 * What happens to a cluster itself: its API server restarts, connections fall silent, its node is drained.
 *
 * @param given an installation, its token, and a site of more pages than are checked
 */
export const describeClusterFaults = (given: () => { installation: Installation; token: string; site: string }) =>
  describe("on a cluster that has faults", () => {
    let installation: Installation;
    let token: string;
    let site: string;

    before(async function () {
      const provider = (await run("test/cluster/cluster.sh", ["provider"])).trim();
      if (provider === "given") {
        console.log("NOT RUN: faults of the cluster, since it was given, and may be somebody's.");
        this.skip();
      }
      ({ installation, token, site } = given());
    });
    after(async () => {
      if (installation) await fault("hear");
    });

    const fault = (...what: string[]) => run("test/cluster/cluster.sh", ["fault", ...what]);
    const start = () => postReport(token, { starting_url: site, max_pages: PAGES, rate_limit: 3 });
    const stage = (id: string, name: string) => `sitevalidation.io/report=${id},sitevalidation.io/stage=${name}`;

    async function checkedOnce(id: string): Promise<Findings> {
      const found = await findingsOf(token, id);
      expect(found.pages).to.equal(PAGES);
      expect(found.checks.html?.status).to.deep.equal({ pending: 0, checked: PAGES, failed: 0 });
      return found;
    }

    it("ends as any other although the API server is killed, which cuts all watches", async () => {
      const undisturbed = await checkedOnce(await start());
      const id = await start();
      await runningPod(installation.namespace, stage(id, "crawler"));
      await fault("restart-api-server");
      expect(await checkedOnce(id)).to.deep.equal(undisturbed);
    });

    it("is begun within a minute after all connections of the controllers to the API server have fallen silent", async () => {
      const { namespace } = installation;
      const { items } = await getJson<Pods>(["pods", "-n", namespace, "-l", "app.kubernetes.io/component=controller"]);
      const silenced: string[] = [];
      for (const { status } of items) silenced.push(await fault("silence", status.podIP ?? ""));
      expect(silenced.join("").trim(), "connections that were silenced").to.not.equal("");
      const posted = Date.now();
      const id = await start();
      await poll(async () => {
        if (Date.now() - posted > CONVERGED_MS) throw new Error(`No Job after ${CONVERGED_MS / 1000} s.`);
        const jobs = await getJson<Pods>(["jobs", "-n", namespace, "-l", stage(id, "crawler")]);
        return jobs.items.length > 0;
      });
      await fault("hear");
      await checkedOnce(id);
    });

    it("ends as any other although the node is drained, and comes back", async () => {
      const { namespace, release } = installation;
      const id = await start();
      await runningPod(namespace, stage(id, "html-checker"));
      const { items: nodes } = await getJson<Pods>(["nodes"]);
      const names = nodes.map(({ metadata }) => metadata.name);
      // The only node: an eviction that a disruption budget forbids would wait for ever.
      const flags = [
        "--ignore-daemonsets",
        "--delete-emptydir-data",
        "--force",
        "--disable-eviction",
        "--timeout=120s",
      ];
      const ours = [`app.kubernetes.io/instance=${release}`, `sitevalidation.io/report=${id}`];
      try {
        for (const selector of ours)
          for (const node of names) await kubectl(["drain", node, ...flags, `--pod-selector=${selector}`]);
        const refused = await refusal([
          "wait",
          "-n",
          namespace,
          "--for=condition=Ready",
          "--timeout=1s",
          "pod",
          "-l",
          ours[0] ?? "",
        ]);
        expect(refused, "pods that cannot be scheduled").to.not.equal(undefined);
      } finally {
        await kubectl(["uncordon", ...names]);
      }
      await rolledOut(installation);
      await checkedOnce(id);
    });
  });
