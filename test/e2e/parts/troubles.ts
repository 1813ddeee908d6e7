import { expect } from "chai";
import { getJson, kubectl, poll } from "../support/commands.ts";
import { type Installation, upgrade } from "../support/installation.ts";
import { applyReport, getReport, MAX_PAGES, MAX_RATE_LIMIT, runningPod } from "../support/reports.ts";

/** Far too little memory for a crawler: in 40Mi, a crawl of a single page sometimes succeeds. */
const tooLittle = ["requests", "limits"].map((kind) => `jobs.resources.crawler.${kind}.memory=20Mi`);
const settings = [...tooLittle, "image.browser.tag=missing", "limits.maxRunningReports=2"];

type JobObject = {
  spec: { template: { spec: { containers: { resources: { limits: { memory: string } } }[] } } };
};

/** @param given an installation, whose values change, and a site of 400 pages */
export const describeTroubles = (given: () => { installation: Installation; site: string }) =>
  describe("that cannot go on", () => {
    let installation: Installation;
    let site: string;

    before(async () => {
      ({ installation, site } = given());
      await upgrade(installation, { set: settings });
    });

    async function start(name: string, spec: Record<string, unknown> = {}): Promise<void> {
      await applyReport(installation.namespace, name, {
        startingUrl: site,
        maxPages: 1,
        rateLimit: MAX_RATE_LIMIT,
        ...spec,
      });
    }

    /** Waits until a condition has a reason. @returns its message */
    const said = (name: string, type: string, reason: string) =>
      poll(async () => {
        const { status } = await getReport(installation.namespace, name);
        const condition = status?.conditions?.find((one) => one.type === type && one.reason === reason);
        return condition?.status === "False" && condition.message;
      });
    /** What `kubectl describe` lists of a Report. */
    async function eventsOf(name: string): Promise<string[]> {
      const { namespace } = installation;
      const { metadata } = await getReport(namespace, name);
      const selector = `involvedObject.uid=${metadata.uid}`;
      const { items } = await getJson<{ items: { reason: string }[] }>([
        ...["events", "-n", namespace, "--field-selector", selector],
      ]);
      return items.map(({ reason }) => reason);
    }
    const end = (...names: string[]) =>
      kubectl(["delete", "-n", installation.namespace, "--timeout=60s", ...names.map((name) => `report/${name}`)]);

    it("says which image cannot be pulled, that memory ran out, and that it waits for others", async () => {
      await start("image", { dynamicCrawler: true });
      expect(await said("image", "PodsHealthy", "ImagePullBackOff")).to.contain("missing");
      await start("memory");
      await start("waiting");
      expect(await said("waiting", "Crawled", "WaitingForCapacity")).to.contain("capacity");
      expect((await getReport(installation.namespace, "waiting")).status?.phase).to.equal("Pending");
      expect(await said("memory", "PodsHealthy", "OOMKilled")).to.contain("memory");
      expect(await eventsOf("memory")).to.include("OOMKilled");
      expect(await eventsOf("waiting")).to.deep.equal(["WaitingForCapacity"]);
      await end("image", "memory", "waiting");
    });

    it("says which quota keeps its pods from being created", async () => {
      await kubectl(["create", "quota", "full", "-n", installation.namespace, "--hard=pods=1"]);
      await start("quota");
      expect(await said("quota", "PodsHealthy", "QuotaExceeded")).to.contain("full");
      await end("quota");
      await kubectl(["delete", "quota", "full", "-n", installation.namespace]);
    });

    it("repeats the scheduler's message, and goes on when its pods can be scheduled", async () => {
      await upgrade(installation, { set: ["jobs.nodeSelector.room=plenty"] });
      await start("room");
      expect(await said("room", "PodsHealthy", "Unschedulable")).to.contain("node");
      await kubectl(["label", "node", "--all", "room=plenty"]);
      try {
        await kubectl([
          ...["wait", "-n", installation.namespace, "--for=condition=Complete", "--timeout=200s"],
          "report/room",
        ]);
      } finally {
        await kubectl(["label", "node", "--all", "room-"]);
      }
    });

    it("goes on with new pods once their settings are corrected; a running report keeps its pods", async () => {
      const { namespace } = installation;
      await upgrade(installation, { set: ["jobs.nodeSelector.room=nowhere"] });
      await start("mended");
      expect(await said("mended", "PodsHealthy", "Unschedulable")).to.contain("node");
      await upgrade(installation);
      await kubectl(["wait", "-n", namespace, "--for=condition=Complete", "--timeout=200s", "report/mended"]);
      expect((await getReport(namespace, "mended")).status?.runs).to.deep.equal({ crawler: 2, "html-checker": 2 });
      expect(await eventsOf("mended")).to.include.members(["Started", "Unschedulable", "JobReplaced", "Completed"]);

      await start("running", { maxPages: MAX_PAGES, rateLimit: 1 });
      const { uid } = (await getReport(namespace, "running")).metadata;
      const selector = `sitevalidation.io/report=${uid},sitevalidation.io/stage=html-checker`;
      const pod = await runningPod(namespace, selector);
      await upgrade(installation, { set: ["jobs.resources.html-checker.limits.memory=900Mi"] });
      await start("after");
      const memoryOf = async (name: string) =>
        (
          await getJson<JobObject>(["job", `${name}-html-checker-1`, "-n", namespace])
        ).spec.template.spec.containers.map(({ resources }) => resources.limits.memory);
      expect(await poll(() => memoryOf("after").catch(() => undefined))).to.deep.equal(["900Mi"]);
      expect(await memoryOf("running")).to.deep.equal(["2Gi"]);
      const { items } = await getJson<{ items: { metadata: { name: string } }[] }>([
        "pods",
        "-n",
        namespace,
        "-l",
        selector,
      ]);
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal([pod]);
      await kubectl(["wait", "-n", namespace, "--for=condition=Complete", "--timeout=200s", "report/after"]);
      await end("mended", "running", "after");
    });

    it("fails at once when one of its programs is used wrongly", async () => {
      const { namespace } = installation;
      await upgrade(installation, { set: ["jobs.extraEnv[0].name=LOG_LEVEL", "jobs.extraEnv[0].value=loud"] });
      await start("misused");
      await kubectl(["wait", "-n", namespace, "--for=condition=Failed", "--timeout=200s", "report/misused"]);
      const { metadata, status } = await getReport(namespace, "misused");
      expect(status?.conditions?.find(({ type }) => type === "Failed")?.message).to.contain("exit code 2");
      expect(status?.runs?.crawler).to.equal(1);
      const selector = `sitevalidation.io/report=${metadata.uid},sitevalidation.io/stage=crawler`;
      const { items } = await getJson<{ items: unknown[] }>(["pods", "-n", namespace, "-l", selector]);
      expect(items.length).to.equal(1);
      await end("misused");
    });
  });
