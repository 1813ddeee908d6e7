import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { load } from "cheerio";
import { parse } from "yaml";
import { MAX_SOURCE_LENGTH } from "../../../src/domain/findings/bound-findings.ts";
import { type CopiedSources, copySources } from "../../support/copied-sources.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";
import { signedIn, startWebService, type WebService } from "../../support/web-service.ts";

const KIND = fileURLToPath(new URL("../../fixtures/made-up-kind", import.meta.url));
const page = (body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><title>A page</title></head>\n<body>\n<h1>A page</h1>\n${body}\n</body>\n</html>\n`;
const pages = {
  // Findings of both kinds, of the made-up one alone, of HTML alone, and of neither.
  "/": page('<!-- FIXME: later -->\n<p><b>x</i></p>\n<a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>'),
  "/a": page("<!-- TODO: links --> <!-- TODO: more -->\n<!-- FIXME: now -->"),
  "/b": page("<p><b>x</i></p>"),
  "/c": page("<p>Fine</p>"),
};
/** Findings of both kinds, in more text than is kept. */
const large = page(`<!-- FIXME: later -->\n<p><b>x</i></p>\n<p>${"x".repeat(MAX_SOURCE_LENGTH)}</p>`);

type Resource = {
  id: string;
  attributes: Record<string, never>;
  relationships: Record<string, { links: { related: string } }>;
};
// biome-ignore lint/suspicious/noExplicitAny: documents of a kind that these sources do not know
type Document = { data: any; meta: any };

describe("a made-up kind of check, which is a folder, its name in the list of kinds, and a runner", function () {
  this.timeout(limitOf(60));

  let sources: CopiedSources;
  let site: Site;
  let service: WebService;

  before(async () => {
    sources = await copySources();
    site = await serveSite({ ...pages, "/large": large });
    await mkdir(sources.file("src/checks/notes"));
    await cp(path.join(KIND, "manifest.ts"), sources.file("src/checks/notes/manifest.ts"));
    await cp(path.join(KIND, "runner.ts"), sources.file("src/checker/runners/notes.ts"));
    await sources.edit("src/checks/kinds.ts", (text) =>
      text
        .replace("const manifests = { html, a11y, links }", "const manifests = { html, a11y, links, notes }")
        .replace("\n\n", '\nimport { notes } from "./notes/manifest.ts";\n\n'),
    );
  });
  after(async () => {
    await service?.close();
    await site.close();
    await sources.remove();
  });

  it("compiles", async () => {
    await sources.edit("tsconfig.json", (text) =>
      text.replace(/"include": .*,/, '"include": ["src", "packages/*/src"],'),
    );
    const checked = await sources
      .node("node_modules/typescript/bin/tsc", "--noEmit")
      .catch(({ stdout }: { stdout: string }) => stdout);
    expect(checked).to.equal("");
  });

  it("has its settings in the CRDs, and its operations in the OpenAPI document", async () => {
    await sources.node("scripts/generate.ts");
    await sources.node("scripts/openapi.ts");
    const crd = parse(await sources.read("crds/sitevalidation.io_reports.yaml"));
    const { spec, status } = crd.spec.versions[0].schema.openAPIV3Schema.properties;
    expect(spec.properties.performNotesChecks).to.deep.equal({
      ...{ type: "boolean", default: false },
      description: "Look for notes in the source of each page.",
    });
    expect(spec.properties.storeRawNotesChecks).to.include({ default: false });
    expect(status.properties.runs.properties).to.have.property("notes-checker");
    expect(JSON.stringify(spec["x-kubernetes-validations"])).to.include("|| self.performNotesChecks");
    const { paths, components } = JSON.parse(await sources.read("build/openapi.json"));
    const ofPage = "/reports/{report_id}/web_pages/{web_page_id}";
    expect(paths).to.include.keys(
      ...["/reports/{report_id}/common_notes_issues", `${ofPage}/notes_issues`, `${ofPage}/raw_notes_check`],
    );
    expect(components.schemas.NotesIssue.properties.attributes.properties).to.include.keys("rule", "html", "how_many");
  });

  it("has pods on a cluster with the resources of a kind that needs the same", async () => {
    const images = { slim: "slim", browser: "browser", nu: "nu" };
    const resources = { "html-checker": { limits: { memory: "2Gi" } } };
    const pods = { images, pullPolicy: "Always", template: { resources } };
    const module = sources.file("src/controller/jobs/pod-spec.ts");
    const call = `jobPod(${JSON.stringify(pods)}, "notes-checker", { browser: false, java: false })`;
    const script = `import { jobPod } from ${JSON.stringify(module)}; console.log(JSON.stringify(${call}.container));`;
    expect(JSON.parse(await sources.node("--input-type=module", "--eval", script))).to.deep.include({
      ...{ image: "slim", resources: resources["html-checker"] },
    });
  });

  describe("in a report", () => {
    let report: Resource;
    const root = () => `/reports/${report.id}`;

    const request = async (target: string, attributes?: object) => {
      const response = await fetch(`${service.url}/api/v1${target}`, {
        headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
        ...(attributes && { method: "POST", body: JSON.stringify({ data: { attributes } }) }),
      });
      const text = await response.text();
      expect(response.status, `${target}: ${text}`).to.be.oneOf([200, 201]);
      return text;
    };
    const get = async (target: string): Promise<Document> => JSON.parse(await request(target));
    const run = async (attributes: object): Promise<Resource> => {
      const { data } = JSON.parse(await request("/reports", { starting_url: site.url, rate_limit: 25, ...attributes }));
      await eventually(async () => {
        const { phase, failure } = (await get(`/reports/${data.id}`)).data.attributes;
        if (phase === "Failed") throw new Error(`The report failed: ${failure?.detail}`);
        return phase === "Complete";
      });
      return (await get(`/reports/${data.id}`)).data;
    };
    const wanted = { perform_notes_checks: true, store_raw_notes_checks: true };

    before(async () => {
      service = await startWebService({}, { command: sources.command });
      report = await run(wanted);
    });

    it("is performed if the report asks for it, beside HTML, on the source that was fetched once", async () => {
      expect(report.attributes).to.include({ perform_notes_checks: true, perform_a11y_checks: false });
      expect(report.attributes.checks).to.deep.include({
        notes: {
          status: { pending: 0, checked: 4, failed: 0 },
          reused: 0,
          issues: { errors: 2, warnings: 2, muted: { errors: 0, warnings: 0 } },
        },
        a11y: null,
      });
      expect(report.attributes.engines).to.deep.include({ notes: { name: "note-finder", version: "1.0.0" } });
      for (const path of Object.keys(pages))
        expect(site.requests.filter((seen) => seen.path === path).length, path).to.equal(1);
    });

    it("has its own resources, filters and sort keys in the API", async () => {
      const { data: common } = await get(`${root()}/common_notes_issues?filter[message]=fixme&sort=pages-desc`);
      expect(common).to.have.lengthOf(1);
      expect(common[0].attributes).to.include({ rule: "FIXME", issue_type: "error", how_many: 2, num_pages: 2 });
      expect((await get(`${root()}/common_notes_issues/${common[0].id}`)).data).to.deep.equal(common[0]);
      const { data: found } = await get(
        `${root()}/web_pages?filter[common_notes_issue_id]=${common[0].id}&sort=errors-desc`,
      );
      expect(found.map(({ attributes }: Resource) => new URL(attributes.url ?? "").pathname)).to.deep.equal([
        "/",
        "/a",
      ]);
      const { duration_ms, ...notes } = found[1].attributes.notes_check;
      expect(duration_ms).to.be.a("number");
      expect(notes).to.deep.equal({
        ...{ reused: false, status: "checked", errors: 1, warnings: 2, failure: null },
      });
      const { pathname } = new URL(found[1].relationships.notes_issues.links.related);
      const { data: issues } = await get(`${pathname.replace("/api/v1", "")}?filter[rule]=TODO`);
      expect(issues).to.have.lengthOf(1);
      expect(issues[0].attributes.html.map(({ extract }: { extract: string }) => extract)).to.deep.equal([
        ...["<!-- TODO: links -->", "<!-- TODO: more -->"],
      ]);
      const { data: raw } = await get(`${root()}/web_pages/${found[1].id}/raw_notes_check`);
      expect(raw.attributes).to.deep.include({ kind: "notes" });
      expect(raw.attributes.raw.notes).to.have.lengthOf(3);
      const { data: sorted } = await get("/reports?sort=notes_errors-desc");
      expect(sorted[0].id).to.equal(report.id);
    });

    it("keeps the source of each page in which there is a finding of either kind", async () => {
      const { data } = await get(`${root()}/web_pages?sort=url-asc`);
      const kept = data.filter(({ relationships }: Resource) => relationships.source);
      expect(kept.map(({ attributes }: Resource) => new URL(attributes.url ?? "").pathname)).to.deep.equal([
        ...["/", "/a", "/b"],
      ]);
    });

    it("keeps no source that none of its checks keeps, whichever of them ends last", async () => {
      const { id } = await run({ ...wanted, starting_url: new URL("/large", site.url).href });
      const { data } = await get(`/reports/${id}/web_pages`);
      expect(data).to.have.lengthOf(1);
      expect(data[0].attributes.html_check.errors).to.be.above(0);
      expect(data[0].attributes.notes_check.errors).to.equal(1);
      expect(data[0].relationships).not.to.have.property("source");
    });

    it("is in every export", async () => {
      const lines = (await request(`${root()}/export.ndjson`)).trim().split("\n");
      const exported = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "notes");
      expect(exported.map(({ rule }) => rule).toSorted()).to.deep.equal(["FIXME", "FIXME", "TODO"]);
      expect(await request(`${root()}/export.csv`)).to.include("There is a note that begins with TODO.");
      expect(await request(`${root()}/export.junit`)).to.match(/<testcase name="FIXME" classname="notes /);
      const { runs } = JSON.parse(await request(`${root()}/export.sarif`));
      expect(runs.map((one: { tool: { driver: { name: string } } }) => one.tool.driver.name)).to.include("note-finder");
    });

    it("is compared with the report before it", async () => {
      const next = await run(wanted);
      const { data } = await get(`/reports/${next.id}/findings?filter[state]=persisting`);
      expect(data.filter(({ attributes }: Resource) => attributes.kind === "notes")).to.have.lengthOf(3);
    });

    it("is on the pages for people, and in their form", async () => {
      const client = await signedIn(service);
      const textOf = async (target: string) => load((await client.get(target)).html)("main").text();
      expect(await textOf(root())).to.match(/Notes\s*2\s*2\s*4 of 4/);
      expect(await textOf(`${root()}/issues`)).to.include("Notes TODO: ");
      expect(await textOf(`${root()}/issues?kind=notes&text=fixme`)).to.include("1 rule, ");
      const { data } = await get(`${root()}/common_notes_issues?filter[rule]=FIXME`);
      expect(await textOf(`${root()}/issues/notes/${data[0].id}`)).to.include("2 findings, 2 pages");
      const { data: found } = await get(`${root()}/web_pages?filter[common_notes_issue_id]=${data[0].id}`);
      expect(await textOf(`${root()}/pages/${found[0].id}`)).to.include("There is a note that begins with FIXME.");
      const form = load((await client.get("/reports/new")).html);
      expect(form('input[name="perform_notes_checks"]').attr("checked")).to.equal(undefined);
      expect(form('input[name="store_raw_notes_checks"]')).to.have.lengthOf(1);
    });
  });

  describe("on the command line", () => {
    it("has an option, and its findings are printed", async () => {
      const folder = path.join(service.sandbox.folder, "pages");
      await mkdir(folder);
      await writeFile(path.join(folder, "index.html"), pages["/a"]);
      const options = { command: sources.command };
      const args = ["check", folder, "--notes", "--no-html", "--report", path.join(folder, "report.html")];
      const { code, stdout, stderr } = await service.sandbox.start(args, {}, options).ended;
      expect(code, stderr).to.equal(1);
      expect(stdout).to.include("There is a note that begins with TODO.").and.include("notes: 1 error, 2 warnings");
      expect(stdout).not.to.include("HTML:");
      const nothing = await service.sandbox.start(["check", folder, "--no-html"], {}, options).ended;
      expect(nothing.stderr).to.include("--no-html without --a11y or --links or --notes leaves nothing to check.");
    });
  });
});
