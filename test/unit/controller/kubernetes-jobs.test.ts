import { expect } from "chai";
import type { Pod } from "../../../src/cluster/core-resources.ts";
import { createAccountLookup } from "../../../src/controller/account-lookup.ts";
import { createEndedJobs } from "../../../src/controller/jobs/ended-jobs.ts";
import { idleness } from "../../../src/controller/jobs/idle.ts";
import { createPodsLookup, podProblem } from "../../../src/controller/jobs/pod-health.ts";
import { jobPod, mergeEnvironment } from "../../../src/controller/jobs/pod-spec.ts";
import { annotations, type JobResource, type ReportResource } from "../../../src/schema/resources.ts";

describe("pods of Jobs", () => {
  const images = { slim: "slim:1", browser: "browser:1", nu: "nu:1" };
  const resources = { crawler: { limits: { memory: "1Gi" } }, browser: { limits: { memory: "2Gi" } } };
  const pods = { images, pullPolicy: "Never", template: { resources, nodeSelector: { disk: "ssd" } } };

  const plain = { browser: false, java: false };

  it("run in the image with Java when they need it", () => {
    expect(jobPod(pods, "html-checker", { browser: false, java: true }).container).to.include({ image: "nu:1" });
  });

  it("run without a browser in the image that has none", () => {
    const { spec, container, environment } = jobPod(pods, "crawler", plain);
    expect(container).to.deep.include({ image: "slim:1", imagePullPolicy: "Never", resources: resources.crawler });
    expect(spec).not.to.have.property("initContainers");
    expect(environment).to.deep.equal([]);
  });

  it("have a browser beside them if they need one: under another user, without secrets, ending with them", () => {
    const { spec, container, environment } = jobPod(
      { ...pods, template: { ...pods.template, env: [{ name: "DATABASE_URL", value: "postgres://secret" }] } },
      "crawler",
      { browser: true, java: false },
    );
    expect(container).to.deep.include({ image: "slim:1", resources: resources.crawler });
    expect(environment).to.deep.equal([{ name: "BROWSER_SOCKET", value: "/run/browser/socket" }]);
    expect(spec.automountServiceAccountToken).to.equal(false);
    // The names of other Services are none of its business.
    expect(spec.enableServiceLinks).to.equal(false);
    expect(spec.initContainers).to.deep.equal([
      {
        name: "browser",
        image: "browser:1",
        imagePullPolicy: "Never",
        restartPolicy: "Always",
        args: ["browser"],
        env: environment,
        resources: resources.browser,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ["ALL"] },
          runAsUser: 10_002,
          runAsGroup: 10_002,
        },
        volumeMounts: [
          { name: "browser", mountPath: "/run/browser" },
          { name: "browser-tmp", mountPath: "/tmp" },
        ],
      },
    ]);
  });

  it("have the operator's files, which the browser does not see", () => {
    const volumes = [{ name: "ca", configMap: { name: "corporate-ca" } }];
    const volumeMounts = [{ name: "ca", mountPath: "/etc/site-validator/sites/ca", readOnly: true }];
    const template = { ...pods.template, volumes, volumeMounts };
    const { spec, container } = jobPod({ ...pods, template }, "crawler", { browser: true, java: false });
    expect(spec.volumes).to.deep.include(volumes[0]);
    expect(container.volumeMounts).to.deep.include(volumeMounts[0]);
    expect(JSON.stringify(spec.initContainers)).to.include("/run/browser").and.not.include("/etc/site-validator");
  });

  it("are placed as the template says, and leave out what it does not set", () => {
    const { spec } = jobPod(pods, "html-checker", plain);
    expect(spec.nodeSelector).to.deep.equal({ disk: "ssd" });
    expect(spec).not.to.have.any.keys("tolerations", "affinity", "priorityClassName", "imagePullSecrets");
    expect(jobPod(pods, "html-checker", plain).container).not.to.have.property("resources");
  });

  it("have each variable once, with the last value given", () => {
    const merged = mergeEnvironment(
      [{ name: "A", value: "1" }],
      [{ name: "B", value: "2" }],
      [{ name: "A", value: "3" }],
    );
    expect(merged).to.deep.equal([
      { name: "A", value: "3" },
      { name: "B", value: "2" },
    ]);
  });
});

describe("the trouble of pods", () => {
  const pod = (name: string, status: Pod["status"], second = 0): Pod => ({
    metadata: {
      name,
      creationTimestamp: `2026-01-01T00:00:0${second}Z`,
      labels: { "job-name": "job" },
    },
    ...(status && { status }),
  });
  const waiting = (reason: string, message: string) =>
    pod("a", { phase: "Pending", containerStatuses: [{ name: "crawler", state: { waiting: { reason, message } } }] });
  const killed = pod("dead", {
    phase: "Failed",
    containerStatuses: [{ name: "crawler", state: { terminated: { reason: "OOMKilled", exitCode: 137 } } }],
  });

  it("is none for pods that start or run", () => {
    expect(podProblem([pod("a", { phase: "Running" }), waiting("ContainerCreating", "")])).to.equal(undefined);
  });

  it("names the image that cannot be pulled", () => {
    for (const reason of ["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull"])
      expect(podProblem([killed, waiting(reason, "no such image")])).to.deep.equal({
        reason: "ImagePullBackOff",
        message: "Pod a: no such image",
      });
  });

  it("repeats the scheduler's message", () => {
    const message = "0/1 nodes are available: 1 Insufficient memory.";
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
    expect(podProblem([pod("a", { phase: "Pending", conditions })])).to.deep.equal({
      reason: "Unschedulable",
      message: `Pod a: ${message}`,
    });
  });

  it("includes the browser beside a program", () => {
    const missing = pod("a", {
      phase: "Pending",
      initContainerStatuses: [{ name: "browser", state: { waiting: { reason: "ErrImagePull", message: "none" } } }],
    });
    expect(podProblem([missing])?.reason).to.equal("ImagePullBackOff");
    const browser = (state: NonNullable<Pod["status"]>["initContainerStatuses"]) =>
      pod("a", { phase: "Running", ...(state && { initContainerStatuses: state }) });
    const lastState = { terminated: { reason: "OOMKilled" } };
    const waits = { name: "browser", lastState, state: { waiting: { reason: "CrashLoopBackOff" } } };
    expect(podProblem([browser([waits])])?.reason).to.equal("OOMKilled");
    expect(podProblem([browser([{ ...waits, state: { running: {} } }])])).to.equal(undefined);
  });

  it("says that memory ran out", () => {
    expect(podProblem([pod("b", { phase: "Running" }, 1), killed])?.reason).to.equal("OOMKilled");
  });

  const job = {
    metadata: { name: "job", uid: "u" },
    spec: { template: { spec: { containers: [] } } },
    status: {},
  } as unknown as JobResource;

  it("is looked for every few seconds, and only for Jobs that have not ended", async () => {
    let looks = 0;
    let time = 0;
    const core = {
      listPods: async () => {
        looks++;
        return [waiting("ErrImagePull", "none")];
      },
      creationFailures: async () => [],
    };
    const look = createPodsLookup(core, "jobs", () => time);
    expect((await look("id", [job])).trouble?.reason).to.equal("ImagePullBackOff");
    await look("id", [job]);
    expect(looks).to.equal(1);
    time = 6_000;
    const ended: JobResource = { ...job, status: { conditions: [{ type: "Failed", status: "True" }] } };
    expect(await look("id", [ended])).to.deep.equal({ trouble: undefined, idle: new Map() });
    expect(looks).to.equal(1);
    await look("id", [job]);
    expect(looks).to.equal(2);
  });

  it("is not asked for while the report has no running Job, and at once when it has one", async () => {
    let reads = 0;
    const core = {
      listPods: async () => {
        reads++;
        return [];
      },
      creationFailures: async () => [],
    };
    const look = createPodsLookup(core, "jobs", () => 0);
    await look("id", []);
    expect(reads).to.equal(0);
    await look("id", [job]);
    expect(reads).to.equal(1);
  });

  it("is not asked for while all pods of the Jobs are ready, unless one has failed before", async () => {
    let reads = 0;
    const core = {
      listPods: async () => {
        reads++;
        return [killed];
      },
      creationFailures: async () => [],
    };
    let time = 0;
    const look = createPodsLookup(core, "jobs", () => time);
    const ofTwo = (status: JobResource["status"]): JobResource => ({
      ...job,
      spec: { ...job.spec, parallelism: 2 },
      ...(status && { status }),
    });
    expect(await look("a", [ofTwo({ active: 2, ready: 2 })])).to.deep.equal({ trouble: undefined, idle: new Map() });
    expect(reads).to.equal(0);
    await look("b", [ofTwo({ active: 2, ready: 1 })]);
    expect(reads).to.equal(1);
    expect((await look("c", [ofTwo({ active: 2, ready: 2, failed: 1 })])).trouble?.reason).to.equal("OOMKilled");
    expect(reads).to.equal(2);
    // A pod that is ignored by the Job's policy does not count as failed: its trouble lasts for as long as it can be seen.
    time = 6_000;
    expect((await look("c", [ofTwo({ active: 2, ready: 2 })])).trouble?.reason).to.equal("OOMKilled");
    expect(reads).to.equal(3);
  });

  it("is none for a Job that works, even if there is no room for more of its pods", async () => {
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no room" }];
    const pods = [pod("more", { phase: "Pending", conditions })];
    const core = { listPods: async () => pods, creationFailures: async () => [] };
    const working: JobResource = { ...job, status: { active: 2, ready: 1 } };
    expect((await createPodsLookup(core, "jobs")("id", [working])).trouble).to.equal(undefined);
    expect((await createPodsLookup(core, "jobs")("id", [job])).trouble?.reason).to.equal("Unschedulable");
  });

  it("is none for a Job that may have no pods now", async () => {
    const core = { listPods: async () => [killed], creationFailures: async () => ["exceeded quota: small"] };
    const paused: JobResource = { ...job, spec: { ...job.spec, parallelism: 0 }, status: {} };
    expect(await createPodsLookup(core, "jobs")("id", [paused])).to.deep.equal({
      trouble: undefined,
      idle: new Map(),
    });
  });

  it("is the quota that keeps pods from being created", async () => {
    const message = 'Error creating: pods "x" is forbidden: exceeded quota: small, requested: pods=1';
    const core = { listPods: async () => [], creationFailures: async () => ["older", message] };
    const look = createPodsLookup(core, "jobs");
    const view = await look("id", [job]);
    expect(view.trouble).to.deep.equal({ reason: "QuotaExceeded", message });
    // Another Job could not make pods either.
    expect([...view.idle]).to.deep.equal([["job", "starting"]]);
  });
});

describe("the state of a Job", () => {
  const NOW = Date.parse("2026-01-01T00:10:00Z");
  const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
  const job = (status: JobResource["status"] = { active: 1, ready: 0 }) => ({ metadata: {}, status }) as JobResource;
  const pod = (status: Pod["status"], metadata: Partial<Pod["metadata"]> = {}): Pod => ({
    metadata: { name: "a", creationTimestamp: ago(500), ...metadata },
    ...(status && { status }),
  });
  const ready = (status: string, seconds: number) => ({ type: "Ready", status, lastTransitionTime: ago(seconds) });
  const failed = (seconds: number) =>
    pod({
      phase: "Failed",
      conditions: [ready("False", seconds)],
      containerStatuses: [{ name: "c", state: { terminated: { exitCode: 137, finishedAt: ago(seconds) } } }],
    });
  const running = pod({ phase: "Running", conditions: [ready("True", 400)] });
  /** Its grace period is twenty seconds. */
  const draining = {
    ...running,
    metadata: { ...running.metadata, deletionTimestamp: ago(-20), deletionGracePeriodSeconds: 20 },
  };
  const starting = pod({ phase: "Pending" }, { creationTimestamp: ago(100) });

  const table: [string, JobResource, Pod[], number, string | undefined][] = [
    ["works while the cluster counts a ready one", job({ active: 1, ready: 1 }), [failed(90)], 90, undefined],
    ["works while a pod works that the cluster has not counted", job(), [failed(90), running], 90, undefined],
    ["ends after its first success", job({ succeeded: 1 }), [failed(90)], 90, undefined],
    [
      "ends once it has a condition that says how",
      job({ conditions: [{ type: "FailureTarget", status: "True" }] }),
      [failed(90)],
      90,
      undefined,
    ],
    ["starts while Kubernetes waits to replace a failed pod", job(), [failed(29)], 29, "starting"],
    ["is stalled when a failed pod was not replaced within half a minute", job(), [failed(30)], 30, "stalled"],
    ["starts if its node's clock is half an hour behind ours", job(), [failed(1_800)], 29, "starting"],
    ["is stalled if its node's clock is half an hour ahead of ours", job(), [failed(-1_800)], 30, "stalled"],
    ["starts while a pod starts, however long", job(), [failed(90), starting], 90, "starting"],
    ["starts even without pods, which it may not be able to create", job({}), [], 90, "starting"],
    [
      "is stalled when its pod's node was silent for half a minute",
      job(),
      [
        pod({
          phase: "Running",
          conditions: [ready("Unknown", 31)],
          containerStatuses: [{ name: "c", state: { running: {} } }],
        }),
      ],
      31,
      "stalled",
    ],
    [
      "is stalled when its pod is being deleted and does not end",
      job(),
      [pod({ phase: "Running", conditions: [ready("False", 60)] }, { deletionTimestamp: ago(60) })],
      60,
      "stalled",
    ],
    ["starts while its old pod ends, as on a drained node", job(), [draining], 1, "starting"],
    ["starts when its old pod had half a minute left after its grace period", job(), [draining], 49, "starting"],
    ["is stalled when its old pod did not end in time", job(), [draining], 50, "stalled"],
  ];
  for (const [name, given, pods, lacking, expected] of table)
    it(name, () => {
      expect(idleness(given, pods, lacking * 1_000)).to.equal(expected);
    });
});

describe("how long a Job lacks pods", () => {
  const job = (parallelism: number) =>
    ({ metadata: { name: "job", uid: "u" }, spec: { parallelism }, status: { active: 1, ready: 0 } }) as JobResource;
  /** As of a node whose clock is not ours. */
  const failed: Pod = {
    metadata: { name: "pod", creationTimestamp: "2001-01-01T00:00:00Z", labels: { "job-name": "job" } },
    status: { phase: "Failed" },
  };
  const pending: Pod = { ...failed, status: { phase: "Pending" } };
  let time = 0;
  let pods: Pod[] = [];
  let look: ReturnType<typeof createPodsLookup>;
  const idleAt = async (seconds: number, parallelism = 1) => {
    time = seconds * 1_000;
    return (await look("id", [job(parallelism)])).idle.get("job");
  };
  beforeEach(() => {
    pods = [failed];
    look = createPodsLookup({ listPods: async () => pods, creationFailures: async () => [] }, "jobs", () => time);
  });

  it("is measured from when that was first seen", async () => {
    expect([await idleAt(100), await idleAt(129), await idleAt(135)]).to.deep.equal([
      "starting",
      "starting",
      "stalled",
    ]);
  });

  it("begins anew when a pod starts", async () => {
    await idleAt(100);
    pods = [failed, pending];
    await idleAt(110);
    pods = [failed];
    expect([await idleAt(131), await idleAt(160), await idleAt(166)]).to.deep.equal([
      "starting",
      "starting",
      "stalled",
    ]);
  });

  it("begins anew when it is allowed pods again, whenever the last one failed", async () => {
    await idleAt(100);
    expect(await idleAt(110, 0)).to.equal(undefined);
    expect([await idleAt(140), await idleAt(169), await idleAt(175)]).to.deep.equal([
      "starting",
      "starting",
      "stalled",
    ]);
  });
});

describe("for how long Jobs have ended", () => {
  it("is measured from when each was first seen so, whatever its own times say", () => {
    let time = 5;
    const endedJobs = createEndedJobs(() => time);
    const conditions = [{ type: "Failed", status: "True" as const, lastTransitionTime: "2100-01-01T00:00:00Z" }];
    const jobs = ["a", "b"].map((uid) => ({ metadata: { uid }, status: {} }) as JobResource);
    const ended = jobs.map((job): JobResource => ({ ...job, status: { conditions } }));
    expect([...endedJobs(jobs)]).to.deep.equal([]);
    time = 10;
    expect([...endedJobs(ended.slice(0, 1))]).to.deep.equal([["a", 0]]);
    time = 30;
    expect([...endedJobs(ended)]).to.deep.equal([
      ["a", 20],
      ["b", 0],
    ]);
  });
});

describe("the account of a Report on a cluster", () => {
  const report = (namespace: string, account?: string) =>
    ({
      metadata: { namespace, annotations: account === undefined ? {} : { [annotations.account]: account } },
    }) as ReportResource;
  const lookUp = createAccountLookup({
    namespace: "release",
    firstAccount: async () => "first",
    annotationsOf: async (namespace): Promise<Record<string, string>> =>
      namespace === "tenant" ? { [annotations.account]: "tenants" } : {},
  });

  it("is the first account in the release's namespace, unless the api set another", async () => {
    expect(await lookUp(report("release"))).to.equal("first");
    expect(await lookUp(report("release", "another"))).to.equal("another");
  });

  it("is the namespace's account elsewhere, whatever the Report says", async () => {
    expect(await lookUp(report("tenant", "another"))).to.equal("tenants");
    expect(await lookUp(report("nobodys", "another"))).to.equal(undefined);
  });

  it("is looked up again later if there is no account yet", async () => {
    const early = createAccountLookup({
      namespace: "release",
      firstAccount: async () => undefined,
      annotationsOf: async () => ({}),
    });
    const error = await early(report("release")).then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    expect(error).to.contain("no account yet");
  });
});
