import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { serveSite } from "../../support/site.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

type Step = {
  name: string;
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
};
type Action = {
  inputs: Record<string, { required?: boolean; default?: string; description: string }>;
  runs: { steps: Step[] };
};

/** What a runner would have done: the exit code of the first step that fails, the summary, and actions of others. */
type Job = { code: number; log: string; summary: string; used: { uses: string; with: Record<string, string> }[] };

/** What GitHub fills in. No step has the token unless somebody asks for that. */
function ofGithub({ announce }: Record<string, string>): Record<string, string> {
  const token = announce === "true" ? "token-of-the-job" : "";
  return { "github.action_path": ROOT, "inputs.announce == 'true' && github.token || ''": token };
}

const page = (body: string) =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title></head><body><h1>A</h1>${body}</body></html>`;

describe("the GitHub action", () => {
  let action: Action;
  let workspace: string;
  let outside: string;

  before(async () => {
    action = parse(await readFile(path.join(ROOT, "action.yml"), "utf8")) as Action;
  });
  beforeEach(async () => {
    workspace = await mkdtemp(path.join(tmpdir(), "sv-action-"));
    await mkdir(path.join(workspace, "dist"));
    outside = await mkdtemp(path.join(tmpdir(), "sv-outside-"));
    await writeFile(path.join(outside, "index.html"), page("secret"));
  });
  afterEach(async () => {
    for (const folder of [workspace, outside]) await rm(folder, { recursive: true, force: true });
  });

  /** Runs the steps in a shell as a runner does, but for the installation: the checkout has it already. */
  async function job(given: Record<string, string>, environment: Record<string, string> = {}): Promise<Job> {
    const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ""]);
    const inputs: Record<string, string> = { ...Object.fromEntries(defaults), ...given };
    const outputs: Record<string, Record<string, string>> = {};
    const files = { output: path.join(workspace, ".output"), summary: path.join(workspace, ".summary") };
    await writeFile(files.summary, "");
    const result: Job = { code: 0, log: "", summary: "", used: [] };
    const expressions = ofGithub(inputs);
    const evaluate = (expression: string): string => {
      const known = expressions[expression.trim()];
      if (known !== undefined) return known;
      const [, context, name = "", output = ""] =
        /^(inputs|steps|github)\.([\w-]+)(?:\.outputs\.([\w-]+))?$/.exec(expression.trim()) ?? [];
      if (context === "inputs" && name in inputs) return inputs[name] ?? "";
      if (context === "steps" && output !== "") return outputs[name]?.[output] ?? "";
      throw new Error(`The action has an expression that this test does not know: ${expression}`);
    };
    const filled = (texts: Record<string, string> = {}) =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [
          name,
          String(text).replace(/\$\{\{(.*?)\}\}/g, (_all, expression: string) => evaluate(expression)),
        ]),
      );
    for (const step of action.runs.steps) {
      if (step.name === "Install" || !holds(step.if, evaluate) || (result.code !== 0 && !step.if?.includes("always()")))
        continue;
      if (step.uses !== undefined) {
        result.used.push({ uses: step.uses, with: filled(step.with) });
        continue;
      }
      await writeFile(files.output, "");
      // An expression in a script would let inputs be run as code.
      expect(step.run).not.to.include("${{");
      const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run ?? ""], {
        cwd: workspace,
        env: {
          PATH: process.env.PATH ?? "",
          HOME: workspace,
          CACHE_DIR: path.join(ROOT, "node_modules", ".cache", "site-validator"),
          RUNNER_TEMP: workspace,
          GITHUB_OUTPUT: files.output,
          GITHUB_STEP_SUMMARY: files.summary,
          ...environment,
          ...filled(step.env),
        },
      });
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text) => (result.log += text));
      const [code] = (await once(child, "close")) as [number];
      if (result.code === 0) result.code = code;
      const lines = (await readFile(files.output, "utf8")).split("\n").filter((line) => line !== "");
      outputs[step.id ?? step.name] = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    }
    return { ...result, summary: await readFile(files.summary, "utf8") };
  }

  it("fails on errors, says in the summary where they are, and keeps the findings", async () => {
    await writeFile(
      path.join(workspace, "dist", "index.html"),
      page('<img class="a|b`" src="a.png"><a href="gone">x</a>'),
    );
    const inputs = { targets: "dist", options: "--max-pages 5\n\n  --exclude /no such place", "code-scanning": "true" };
    const { code, summary, used, log } = await job(inputs);
    expect(code, log).to.equal(1);
    expect(summary).to.match(/^## ` dist.* ` failed$/m);
    expect(summary).to.match(/^\| HTML \| 1 \| 0 \|/m);
    expect(summary).to.match(
      /^\| error \| \[` img\/alt `\]\(https:\S+\) \| 1 \| 1 \| ` dist\/index\.html:1:\d+ `<br>`` <img class="a\\\|b`" src="a\.png"> `` \|$/m,
    );
    expect(summary).to.match(
      /Could not be checked: 1 page\n\n- ` \/gone ` \(` http_error `\), linked from ` dist\/index\.html `$/m,
    );
    const [scanning, artifact] = used;
    expect(scanning?.uses).to.match(/^github\/codeql-action\/upload-sarif@v\d+$/);
    const sarif = JSON.parse(await readFile(scanning?.with.sarif_file ?? "", "utf8"));
    expect(sarif.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).to.equal("dist/index.html");
    expect(artifact?.with.name).to.equal("site-validator");
  });

  it("takes what is there for known, and fails on what comes later", async () => {
    const file = path.join(workspace, "dist", "index.html");
    await writeFile(file, page('<img src="a.png">'));
    const inputs = { targets: "dist", baseline: "known.ndjson", artifact: "" };
    expect((await job({ ...inputs, options: "--update-baseline" })).code).to.equal(0);
    await writeFile(file, page('<p>New text.</p><img src="a.png"><center>x</center>'));
    const { code, summary, used } = await job(inputs);
    expect(summary).to.match(/^Against the baseline: \*\*1 new\*\*, 0 fixed, 1 known\.$/m);
    expect(code).to.equal(1);
    expect(used).to.deep.equal([]);
  });

  it("sets the commit's status where that is asked for, and else shows the token to nobody", async () => {
    await writeFile(path.join(workspace, "dist", "index.html"), page(""));
    const github = await serveSite({ "/repos/city/site/statuses/cafe": { body: "{}" } });
    try {
      const environment = { GITHUB_API_URL: github.origin, GITHUB_REPOSITORY: "city/site", GITHUB_SHA: "cafe" };
      expect((await job({ targets: "dist" }, environment)).code).to.equal(0);
      expect(github.requests).to.deep.equal([]);
      const { code, log } = await job({ targets: "dist", announce: "true" }, environment);
      expect(code, log).to.equal(0);
      expect(github.requests.map(({ headers }) => headers.authorization)).to.deep.equal(["Bearer token-of-the-job"]);
      expect(log).not.to.include("token-of-the-job");
      // As for the pull request of a stranger, whose token may only read.
      const refused = await job({ targets: "dist", announce: "true" }, { ...environment, GITHUB_SHA: "beef" });
      expect([refused.code, refused.log]).to.satisfy(
        ([code, text]: [number, string]) => code === 0 && /could not be set: .* 404/.test(text),
      );
    } finally {
      await github.close();
    }
  });

  it("runs no script of a pull request", async () => {
    await writeFile(path.join(workspace, "dist", "index.html"), page(""));
    await writeFile(path.join(workspace, "site-validator.config.js"), "process.exit(0);");
    const { code, log, summary } = await job({ targets: "dist" });
    expect(log).to.match(/site-validator\.config\.js" is not read: it is a script, and --untrusted runs none\./);
    expect(summary).to.match(/^## ` dist.* ` passed$/m);
    expect(code).to.equal(0);
  });

  it("lets the configuration of a pull request neither name files or targets, nor use variables", async () => {
    await writeFile(path.join(workspace, "dist", "index.html"), page(""));
    const named = ["report", "ndjson", "sarif", "baseline"].map((name) => `${name}: ${path.join(outside, name)}`);
    const config = path.join(workspace, "site-validator.config.yaml");
    await writeFile(config, [...named, "targets: ['http://127.0.0.1:9/']", "maxPages: 7", ""].join("\n"));
    const { code, log } = await job({ targets: "dist" });
    expect(log).to.match(/Left out of ".*config\.yaml", because .*: targets, baseline, report, sarif, ndjson\./);
    expect(code, log).to.equal(0);
    expect(await readdir(outside)).to.deep.equal(["index.html"]);

    const site = await serveSite({ "/": page("") });
    try {
      await writeFile(config, "headers: { X-Preview: $PREVIEW_TOKEN }\n");
      const environment = { PREVIEW_TOKEN: "s3cret" };
      const without = await job({ targets: site.url }, environment);
      expect(without.log).to.match(/uses \$PREVIEW_TOKEN, which .* --variable PREVIEW_TOKEN/);
      expect(without.code).to.equal(2);
      expect(site.requests).to.deep.equal([]);
      const withIt = await job({ targets: site.url, variables: "PREVIEW_TOKEN\n" }, environment);
      expect(withIt.code, withIt.log).to.equal(0);
      expect(site.requests.map(({ headers }) => headers["x-preview"])).to.include("s3cret");
      expect(without.log + withIt.log).not.to.include("s3cret");
    } finally {
      await site.close();
    }
  });

  for (const [what, inputs, message] of [
    ["no target", { targets: " \n" }, /targets is empty/],
    ["an option as a target", { targets: "--json" }, /targets has "--json"/],
    ["what is not an option", { targets: "dist", options: "a11y" }, /options has the line "a11y"/],
    ["an option that the action sets", { targets: "dist", options: "--sarif=x" }, /options has --sarif/],
    ["a switch that is neither on nor off", { targets: "dist", "code-scanning": "yes" }, /code-scanning is "yes"/],
    ["a variable with a dollar sign", { targets: "dist", variables: "$TOKEN" }, /variables has "\$TOKEN"/],
    ["a variable among the options", { targets: "dist", options: "--variable HOME" }, /options has --variable/],
    [
      "a workflow command in an input",
      { targets: "dist", options: "a\r::stop-commands::%0A::x" },
      /"a ::stop-commands::%250A::x"/,
    ],
    [
      "a script that it is to read",
      { targets: "dist", options: "--config own.js" },
      /"[^"]*own\.js" is not run: it is a script/,
    ],
    [
      "a folder by a link that leaves the workspace",
      { targets: "out" },
      /<target> is "out", which is ".*", outside of/,
    ],
    [
      "a baseline by such a link",
      { targets: "dist", baseline: "out/a.ndjson" },
      /--baseline is "out\/a\.ndjson", which is/,
    ],
    [
      "a report by such a link",
      { targets: "dist", options: "--report out/a.html" },
      /--report is "out\/a\.html", which is/,
    ],
    [
      "a password for a host that the workspace names",
      { targets: "list.txt", options: "--basic-auth me", variables: "SITE_PASSWORD" },
      /<target> is "list\.txt", .* give URLs as targets/,
    ],
    ["a command for the shell", { targets: "$(touch owned)`touch owned`; touch owned" }, /must be a URL/],
  ] as [string, Record<string, string>, RegExp][])
    it(`refuses ${what} with exit code 2`, async () => {
      await writeFile(path.join(workspace, "dist", "index.html"), page(""));
      await writeFile(path.join(workspace, "own.js"), "globalThis.process.exit(0)");
      await writeFile(path.join(workspace, "list.txt"), "http://127.0.0.1:9/\n");
      await symlink(outside, path.join(workspace, "out"));
      const { code, log, used } = await job(inputs);
      expect(log).to.match(message);
      expect(code).to.equal(2);
      expect(used).to.deep.equal([]);
      expect(await readFile(path.join(workspace, "owned"), "utf8").catch(() => "not there")).to.equal("not there");
    });
});

/** A step's condition, of which the action uses few. */
function holds(condition: string | undefined, evaluate: (expression: string) => string): boolean {
  if (condition === undefined) return true;
  return condition
    .replace(/^\$\{\{(.*)\}\}$/s, "$1")
    .split("&&")
    .map((part) => part.trim())
    .every((part) => {
      const [, name = "", operator, literal] = /^(\S+) (==|!=) '(.*)'$/.exec(part) ?? [];
      return part === "always()" || (evaluate(name) === literal) === (operator === "==");
    });
}
