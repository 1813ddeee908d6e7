// It takes 40 s of processor time: types are checked once, and a service and three commands start from sources without a bundle.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { type CopiedSources, copySources } from "../../support/copied-sources.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";
import { open, press, textOf } from "../../support/web-pages.ts";
import { signedIn, startWebService, type WebClient, type WebService } from "../../support/web-service.ts";

const DESCRIPTION = "A word at the end of the User-Agent of the crawler, instead of the one that maxPages has.";
const ROW = `  greeting: {
    text: ${JSON.stringify(DESCRIPTION)},
    schema: { type: "string", maxLength: 20, pattern: "^[a-z]*$", default: "" },
    series: "how the crawler greets",
    words: "a word in lower case",
    option: { value: "word", text: "end the User-Agent with this [word](sign-in.md)" },
    form: { group: "visiting", label: "How to greet", help: "One word, in lower case." },
    example: "hello",
  },
`;

type Resource = { id: string; attributes: Record<string, unknown> };

describe("a made-up setting, which is a row of the table and the place that acts on it", function () {
  this.timeout(limitOf(60));

  let sources: CopiedSources;
  let site: Site;
  let service: WebService;
  let client: WebClient;

  before(async () => {
    sources = await copySources();
    await sources.edit("src/settings/visited.ts", (text) =>
      text.replace("} as const satisfies Record<string, Setting>;", `${ROW}$&`),
    );
    await sources.edit("src/crawler/crawl-report.ts", (text) =>
      text.replace("userAgent: spec.userAgent,", "userAgent: 'Crawler ' + spec.greeting,"),
    );
    site = await serveSite({ "/": "<!DOCTYPE html><html lang=en><title>A page</title><h1>A page</h1></html>" });
    service = await startWebService({}, { command: sources.command });
    client = await signedIn(service);
  });
  after(async () => {
    await service?.close();
    await site?.close();
    await sources?.remove();
  });

  const request = async (target: string, attributes?: object) => {
    const response = await fetch(`${service.url}/api/v1${target}`, {
      headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
      ...(attributes && { method: "POST", body: JSON.stringify({ data: { attributes } }) }),
    });
    return { status: response.status, json: await response.json() };
  };
  /** Waits for the end of a report. */
  const ended = async (id: string): Promise<Resource> => {
    const read = async (): Promise<Resource> => (await request(`/reports/${id}`)).json.data;
    await eventually(async () => ["Complete", "Failed"].includes(String((await read()).attributes.phase)));
    return read();
  };
  const run = async (more: object): Promise<Resource> => {
    const { status, json } = await request("/reports", { starting_url: site.url, rate_limit: 25, ...more });
    expect(status, JSON.stringify(json)).to.equal(201);
    return ended(json.data.id);
  };
  const userAgents = () => site.requests.splice(0).map(({ headers }) => headers["user-agent"]);
  const check = (...args: string[]) =>
    service.sandbox.start(["check", ...args], {}, { command: sources.command, cwd: service.sandbox.folder }).ended;

  it("compiles, and its value has the type that its schema says", async () => {
    await sources.edit("tsconfig.json", (text) =>
      text.replace(/"include": .*,/, '"include": ["src", "packages/*/src"],'),
    );
    const use = `import type { ReportSpec } from "../schema/report.ts";
      export const right: ReportSpec["greeting"] = "hello";
      // @ts-expect-error: it is a text
      export const wrong: ReportSpec["greeting"] = 3;`;
    await writeFile(sources.file("src/domain/greets.ts"), use);
    const checked = await sources
      .node("node_modules/typescript/bin/tsc", "--noEmit")
      .catch(({ stdout }: { stdout: string }) => stdout);
    expect(checked).to.equal("");
  });

  it("is in both CRDs, and in the table of options", async () => {
    const script = `import { withOptionsTable } from "./scripts/options-table.ts";
      import { reportCrd, scheduleCrd } from "./src/schema/crd.ts";
      const table = withOptionsTable("| option | meaning | default |\\n|---|---|---|\\n\\n\\n");
      console.log(JSON.stringify({ crds: [reportCrd(), scheduleCrd()], table }));`;
    const { table, crds } = JSON.parse(await sources.node("--input-type=module", "--eval", script));
    for (const { spec } of crds)
      expect(spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.greeting).to.deep.equal({
        ...{ type: "string", maxLength: 20, pattern: "^[a-z]*$", default: "" },
        description: DESCRIPTION,
      });
    expect(table).to.include("| `--greeting <word>` | end the User-Agent with this [word](sign-in.md) |");
  });

  it("is in the OpenAPI document, for requests and responses, in the API's words", async () => {
    const { json } = await request("/openapi.json");
    const text = JSON.stringify(json);
    const said = DESCRIPTION.replace("maxPages", "max_pages");
    // A report's and a schedule's requests, and their responses.
    expect(text.split(`"greeting":{"type":["string","null"]`).length).to.be.above(4);
    expect(text).to.include(said).and.not.include(DESCRIPTION);
  });

  it("reaches the Job from the API, and is in the response, with null for none", async () => {
    const { attributes } = await run({ greeting: "hello" });
    expect(attributes).to.include({ phase: "Complete", greeting: "hello" });
    expect(userAgents()).to.include("Crawler hello");
    expect((await run({ greeting: null })).attributes.greeting).to.equal(null);
    expect(userAgents()).to.include("Crawler").and.not.include("Crawler hello");
  });

  it("is refused by the API with its place and its limits", async () => {
    const { status, json } = await request("/reports", { starting_url: site.url, greeting: "x".repeat(21) });
    expect(status).to.equal(422);
    expect(json.errors[0].source).to.deep.equal({ pointer: "/data/attributes/greeting" });
    expect(json.errors[0].detail).to.include("greeting is longer than 20 characters");
    const wrong = await request("/schedules", { starting_url: site.url, periodicity: null, greeting: 3 });
    expect(wrong.json.errors[0].detail).to.equal("greeting must be a string; received 3.");
  });

  it("makes another series, and the page says so by its name", async () => {
    const before = await run({ greeting: "hello" });
    const after = await run({ greeting: "goodbye" });
    expect(after.attributes.comparison).to.equal(null);
    const same = await run({ greeting: "goodbye" });
    expect(same.attributes.comparison).to.deep.include({ base_id: after.id, differs: [] });
    const asked = await run({ greeting: "goodbye", base_id: before.id });
    expect(asked.attributes.comparison).to.deep.include({ base_id: before.id, differs: ["greeting"] });
    const page = await open(client, `/reports/${asked.id}`);
    expect(textOf(page)).to.include("how the crawler greets");
  });

  it("is in the form, from which it reaches the Job, and on the page of the report's settings", async () => {
    const form = await open(client, "/reports/new");
    expect(form('label[for="field-greeting"]').text()).to.match(/^How to greet/);
    expect(form("#help-greeting").text()).to.equal("One word, in lower case.");
    const filled = { starting_url: site.url, greeting: "welcome", rate_limit: "25", perform_a11y_checks: undefined };
    userAgents();
    const { location } = await press(client, form, "/reports/new", filled);
    await ended(location?.split("/").at(-1) ?? "");
    expect(userAgents()).to.include("Crawler welcome");
    const report = await open(client, location ?? "");
    expect(report('dt:contains("How to greet")').next().text()).to.equal("welcome");
    const refused = await press(client, form, "/reports/new", { ...filled, greeting: "Welcome!" });
    expect(refused("#error-greeting").text()).to.include("must be a word in lower case");
    expect(refused('[name="greeting"]').val()).to.equal("Welcome!");
  });

  it("is in the form of a schedule, which keeps it", async () => {
    const form = await open(client, "/schedules/new");
    const filled = { starting_url: "https://example.com/", greeting: "morning" };
    const { location } = await press(client, form, "/schedules/new", filled);
    const edited = await open(client, `${location?.split("?")[0]}/edit`);
    expect(edited('[name="greeting"]').val()).to.equal("morning");
  });

  it("is an option of check, and of its configuration, with errors that name it", async () => {
    const help = await check("--help");
    expect(help.stdout).to.match(/--greeting <word> +end the User-Agent with this word/);
    userAgents();
    const given = await check(site.url, "--greeting", "evening", "--no-config");
    expect(given.code, given.stderr).to.be.oneOf([0, 1]);
    expect(userAgents()).to.include("Crawler evening");
    const file = path.join(service.sandbox.folder, "site-validator.config.yaml");
    await writeFile(file, `targets: ["${site.url}"]\ngreeting: night\n`);
    const configured = await check("--config", file);
    expect(configured.code, configured.stderr).to.be.oneOf([0, 1]);
    expect(userAgents()).to.include("Crawler night");
    await writeFile(file, `targets: ["${site.url}"]\ngreeting: 3\n`);
    expect((await check("--config", file)).stderr).to.include(
      `${file}:2:11: greeting is 3; it must be a word in lower case.`,
    );
    expect((await check(site.url, "--greeting", "Evening", "--no-config")).stderr).to.match(
      /--greeting.*It must be a word in lower case/,
    );
  });
});
