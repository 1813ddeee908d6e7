import { expect } from "chai";
import { jobManifest, jobName, templateDigest } from "../../../src/controller/jobs/manifest.ts";
import { printerManifest } from "../../../src/controller/jobs/printer-manifest.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import { annotations, labels, type Stage } from "../../../src/schema/resources.ts";
import { reportResource } from "../../support/builders.ts";
import { testSettings } from "../../support/controller.ts";

const ID = "0b6f3c1e-0000-4000-8000-000000000001";

describe("a Job's name", () => {
  const table: [string, { name: string; namespace?: string }, string][] = [
    ["names the report, the stage and the run", { name: "report-1" }, "report-1-html-checker-7"],
    [
      "stays unique for a name that is too long",
      { name: "a".repeat(41) },
      `${"a".repeat(29)}-ba9163d7bb-html-checker-7`,
    ],
    ["stays unique for a name with dots", { name: "www.example.com" }, "www-example-com-ba9163d7bb-html-checker-7"],
    [
      "stays unique for another namespace",
      { name: "report-1", namespace: "tenant" },
      "report-1-ba9163d7bb-html-checker-7",
    ],
  ];
  for (const [name, metadata, expected] of table) {
    it(name, () => {
      const found = jobName(reportResource({}, metadata), ID, "html-checker", 7, "default");
      expect(found).to.equal(expected);
      expect(found.length).to.be.at.most(63);
    });
  }
});

describe("a Job's manifest", () => {
  const order = { stage: "crawler", run: 2, attempt: 1, parallelism: 1, done: 30 } as const;
  const manifest = (
    spec: Parameters<typeof reportResource>[0] = {},
    metadata: Parameters<typeof reportResource>[1] = {},
  ) => jobManifest(reportResource(spec, { name: "report-1", ...metadata }), ID, order, testSettings);

  it("has no owner in another namespace, but a label that names its report", () => {
    const { metadata } = manifest({}, { namespace: "tenant" });
    expect(metadata.namespace).to.equal("default");
    expect(metadata).to.not.have.property("ownerReferences");
    expect(metadata.annotations?.[annotations.reportKey]).to.equal("tenant/report-1");
  });

  it("has its pods replaced soon, and records the progress of the work and the settings of its pods", () => {
    const { metadata, spec } = manifest();
    // Kubernetes waits 10 s after the first failure, 20 s after the second; the third ends the Job.
    expect(spec.backoffLimit).to.equal(2);
    expect(metadata.annotations?.[annotations.done]).to.equal("30");
    expect(metadata.annotations?.[annotations.template]).to.equal(templateDigest(testSettings));
  });

  it("has another digest for other settings of its pods, but not for any other settings", () => {
    const before = templateDigest(testSettings);
    const images = { slim: "slim:1", browser: "browser:1", nu: "nu:1" };
    const pods = { images, pullPolicy: "Never", template: { resources: { crawler: { limits: { memory: "1Gi" } } } } };
    const more = { ...pods, template: { resources: { crawler: { limits: { memory: "2Gi" } } } } };
    const digests = [
      before,
      templateDigest({ ...testSettings, pods }),
      templateDigest({ ...testSettings, pods: more }),
    ];
    expect(new Set(digests).size).to.equal(3);
    expect(templateDigest({ ...testSettings, maxCheckers: 99 })).to.equal(before);
  });

  it("names the report's HTML engine, and the image with Java for nu", () => {
    const images = { slim: "slim:1", browser: "browser:1", nu: "nu:1" };
    const settings = { ...testSettings, pods: { images, pullPolicy: "Never", template: {} } };
    const container = (spec: Parameters<typeof reportResource>[0], stage: "html-checker" | "a11y-checker") =>
      jobManifest(reportResource(spec), ID, { ...order, stage }, settings).spec.template.spec.containers[0];
    for (const htmlEngine of htmlEngines) {
      const html = container({ htmlEngine }, "html-checker");
      expect(html?.args.join(" ")).to.include(`--engine html --html-engine ${htmlEngine}`);
      expect(html?.image).to.equal(htmlEngine === "nu" ? "nu:1" : "slim:1");
      const a11y = container({ htmlEngine, performA11yChecks: true }, "a11y-checker");
      expect([a11y?.image, a11y?.args.includes("--html-engine")]).to.deep.equal(["slim:1", false]);
    }
  });

  it("has a browser beside what needs one: also HTML checks that take the screenshots", () => {
    const images = { slim: "slim:1", browser: "browser:1", nu: "nu:1" };
    const settings = { ...testSettings, pods: { images, pullPolicy: "Never", template: {} } };
    const hasBrowser = (spec: Parameters<typeof reportResource>[0], stage: Stage) =>
      jobManifest(reportResource(spec), ID, { ...order, stage }, settings).spec.template.spec.initContainers !==
      undefined;
    expect(hasBrowser({}, "html-checker")).to.equal(false);
    expect(hasBrowser({ storeScreenshot: true }, "html-checker")).to.equal(true);
    expect(hasBrowser({ storeScreenshot: true }, "crawler")).to.equal(false);
    expect(hasBrowser({ storeScreenshot: true, performA11yChecks: true }, "html-checker")).to.equal(false);
    expect(hasBrowser({ performA11yChecks: true }, "a11y-checker")).to.equal(true);
    expect(hasBrowser({ dynamicCrawler: true }, "crawler")).to.equal(true);
    expect(hasBrowser({}, "links-checker")).to.equal(false);
    expect(hasBrowser({ dynamicCrawler: true }, "links-checker")).to.equal(true);
  });

  for (const [maxPages, rateLimit, seconds] of [
    [10, 0, 86_400],
    [5_000, 1, 86_400 + 20_000],
    [0, 10, 86_400 + 400_000],
  ] as const) {
    it(`may take ${seconds} seconds for ${maxPages} pages at ${rateLimit} a second`, () => {
      expect(manifest({ maxPages, rateLimit }).spec.activeDeadlineSeconds).to.equal(seconds);
    });
  }
});

describe("the manifest of the Job that prints a month", () => {
  it("counts as failures what those of reports count, runs once beside a browser, and is of no stage", () => {
    const images = { slim: "slim:1", browser: "browser:1", nu: "nu:1" };
    const settings = { ...testSettings, pods: { images, pullPolicy: "Never", template: {} } };
    const { metadata, spec } = printerManifest(ID, settings, "token");
    const order = { stage: "crawler", run: 1, attempt: 1, parallelism: 1, done: 0 } as const;
    const ofReport = jobManifest(reportResource(), ID, order, settings).spec;
    const rules = JSON.stringify(ofReport.podFailurePolicy).replaceAll("crawler", "printer");
    expect(spec.podFailurePolicy).to.deep.equal(JSON.parse(rules));
    expect(spec).to.include({ parallelism: 1, backoffLimit: 1, activeDeadlineSeconds: 180 });
    expect([metadata.labels, spec.template.metadata?.labels]).to.deep.equal([
      ...[{ [labels.printer]: ID }, { [labels.printer]: ID }],
    ]);
    const [container] = spec.template.spec.containers;
    expect(container).to.deep.include({ name: "printer", image: "slim:1", args: ["printer", "--file", ID] });
    expect(spec.template.spec.initContainers).to.have.length(1);
  });
});
