import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { readMuting } from "../../../../src/api/resources/muting-attributes.ts";
import { readConfigData } from "../../../../src/cli/check/options/config-data.ts";
import { readConfigFile } from "../../../../src/cli/check/options/config-file.ts";
import { ignoreOfTexts } from "../../../../src/cli/check/options/ignore-option.ts";
import { mutingOf } from "../../../../src/cli/check/options/ignore-schema.ts";
import { printedConfig } from "../../../../src/cli/check/options/print-config.ts";
import { UsageError } from "../../../../src/domain/errors.ts";

const NOBODY = 65_534;

const faultOf = (text: string): string => {
  try {
    readConfigData("c.yaml", { text });
  } catch (error) {
    expect(error).to.be.instanceOf(UsageError);
    return (error as UsageError).message;
  }
  return expect.fail("It was accepted.");
};

describe("a configuration", () => {
  it("is a map of options, in YAML or JSON, with tabs too", () => {
    expect(readConfigData("c.yaml", { text: "maxPages: 3\nexclude: [/a, /b]\n" })).to.deep.equal({
      ...{ maxPages: 3, exclude: ["/a", "/b"] },
    });
    expect(readConfigData("c.json", { text: '{\n\t"a11y": true,\n\t"failOn": "never"\n}' })).to.deep.equal({
      ...{ a11y: true, failOn: "never" },
    });
    expect(readConfigData("c.yaml", { text: "# nothing yet\n" })).to.deep.equal({});
  });

  for (const [what, text, message] of [
    [
      "an unknown option",
      "a11y: true\nmaxPage: 3",
      /^c\.yaml:2:1: "maxPage" is not an option\. Options are: targets, /,
    ],
    ["the command line's spelling", "max-pages: 3", /^c\.yaml:1:1: "max-pages" is not an option\..* maxPages,/],
    ["a text for a number", "maxPages: ten", /^c\.yaml:1:11: maxPages is "ten"; it must be a whole number from 0 to/],
    ["a number that is too high", "\nmaxPages: 1000001", /^c\.yaml:2:11: maxPages is 1000001; it must be a whole/],
    ["a part of a number", "timeout: 1.5", /^c\.yaml:1:10: timeout is 1\.5; it must be a whole number/],
    ["a text for a switch", "html: yes", /^c\.yaml:1:7: html is "yes"; it must be true or false\.$/],
    ["an unknown word", "failOn: info", /^c\.yaml:1:9: failOn is "info"; it must be one of error, warning, never\.$/],
    ["nothing", "failOn:", /^c\.yaml:1:8: failOn is null; it must be one of error, warning, never\.$/],
    ["an empty text", "sarif: ''", /^c\.yaml:1:8: sarif is ""; it must be a text that is not empty\.$/],
    ["a path without a slash", "basePath: docs", /^c\.yaml:1:11: basePath is "docs"; it must be a path that starts/],
    [
      "a text for a list",
      "targets: dist",
      /^c\.yaml:1:10: targets is "dist"; it must be a list of texts, at least 1\.$/,
    ],
    ["an empty list", "targets: []", /^c\.yaml:1:10: targets is \[\]; it must be a list of texts, at least 1\.$/],
    ["a number in a list", "exclude:\n  - /a\n  - 5", /^c\.yaml:3:5: exclude\[1\] is 5; it must be a text that is/],
    ["an option twice", "a11y: true\na11y: false", /^c\.yaml:2:1: Map keys must be unique$/],
    ["a list", "- a11y", /^c\.yaml:1:1: the configuration is \["a11y"\]; it must be a map of options\.$/],
    ["broken syntax", '{"maxPages": [1', /^c\.yaml:1:16: /],
    [
      "a text for headers",
      "headers: 'X: s3cret'",
      /^c\.yaml:1:10: headers is something else; it must be a map of names/,
    ],
    [
      "a list of headers",
      "headers: ['X: s3cret']",
      /^c\.yaml:1:10: headers is something else; it must be a map of names/,
    ],
    ["a number for a cookie", "cookies:\n  sid: 5", /^c\.yaml:2:8: cookies\.sid is something else; it must be a text/],
    [
      "a header of the connection",
      "headers:\n  X: y\n  Host: s3cret",
      /^c\.yaml:3:3: headers: Host cannot be set: it bel/,
    ],
    [
      "a header with two lines",
      'headers: {X: "s3cret\\nY: z"}',
      /^c\.yaml:1:11: headers: the value of X must be printable/,
    ],
    ["a header twice", "headers: {X: s3cret, x: s3cret}", /^c\.yaml:1:22: headers: x is given twice/],
    ["a cookie of two", "cookies: {a: 's3cret; b=c'}", /^c\.yaml:1:11: cookies: a cookie has a name without spaces/],
    [
      "a user agent of two lines",
      'userAgent: "a\\nb"',
      /^c\.yaml:1:12: userAgent is "a\\nb"; it must be printable ASCII/,
    ],
    [
      "a glob with alternatives",
      "include: ['/{a,b}/**']",
      /^c\.yaml:1:11: include\[0\] is .*without spaces and braces, .*one for each/,
    ],
    [
      "a map for the entries of ignore",
      "ignore: {rule: x}",
      /^c\.yaml:1:9: ignore is .*; it must be a list of maps, at most/,
    ],
    [
      "a text for an entry",
      "ignore: [x]",
      /^c\.yaml:1:10: ignore\[0\] is "x"; it must be a map with any of url_match, /,
    ],
    [
      "an unknown member of an entry",
      "ignore:\n  - rul: x",
      /^c\.yaml:2:5: "rul" is not a member of ignore\[0\]\. Members are: url_match, message, rule, /,
    ],
    [
      "a selector that YAML takes for a comment",
      "ignore:\n  - selector: #ads",
      /^c\.yaml:2:15: ignore\[0\]\.selector is null; it must be a text .*\. Write a value that begins with "#" in quotes\.$/,
    ],
    [
      "a selector by position",
      "ignore:\n  - selector: li:first-child",
      /^c\.yaml:2:15: ignore\[0\]: selector has :first-child, which cannot be matched .*; allowed are the names of/,
    ],
    [
      "an entry with a page alone",
      "ignore:\n  - url_match: /a",
      /^c\.yaml:2:5: ignore\[0\]: message is required when none/,
    ],
    [
      "an entry with nothing",
      "ignore: [{}]",
      /^c\.yaml:1:10: ignore\[0\]: message is required.*\n.*url_match is required/,
    ],
    [
      "an end that is no day",
      "ignore: [{rule: x, expires_at: 2027-02-31}]",
      /^c\.yaml:1:32: ignore\[0\]: .*no such day/,
    ],
    [
      "an end in words",
      "ignore: [{rule: x, expires_at: soon}]",
      /is "soon"; it must be a date such as 2027-01-31, or a time/,
    ],
    [
      "half a fingerprint",
      "ignore: [{fingerprint: abc}]",
      /fingerprint is "abc"; it must be a fingerprint: 20 hexadecimal/,
    ],
    [
      "more selectors than mutings may have",
      `ignore: [${"{selector: a},".repeat(101)}]`,
      /^c\.yaml:1:1: ignore has more than 100 mutings with a selector\.$/,
    ],
    ["an alias of nothing", "a11y: *x", /^c\.yaml: Unresolved alias/],
    ["a prototype", "__proto__: 3", /^c\.yaml:1:1: "__proto__" is not an option/],
  ] as const)
    it(`does not have ${what}`, () => {
      expect(faultOf(text))
        .to.match(message)
        .and.not.match(/s3cret/);
    });

  it("is told all of its mistakes at once, in the order of their lines", () => {
    const places = faultOf("maxPages: ten\nfoo: 1\nhtml: 3\n".padEnd(200, "\n").concat("bar: 2"))
      .split("\n")
      .map((line) => line.slice(0, line.indexOf(": ")));
    expect(places[0]).to.equal("c.yaml:1:11");
    expect(places.slice(1, 3)).to.deep.equal(["c.yaml:2:1", "c.yaml:3:7"]);
    expect(places).to.have.length(4);
  });

  it("has entries to ignore, as mutings of the API are written, and an end that needs no time", () => {
    const text = `ignore:
  - { rule: image-alt, selector: "#ads img", url_match: /shop/, reason: Not ours, expires_at: 2027-01-31 }
  - { message: Stray, url_match: /, expires_at: 2027-01-31T12:00:00+02:00 }
  - { fingerprint: 0123456789abcdef0123, comment: Known }
`;
    const { ignore = [] } = readConfigData("c.yaml", { text });
    expect(ignore.map(({ expires_at }) => expires_at)).to.deep.equal([
      ...["2027-01-31", "2027-01-31T12:00:00+02:00", undefined],
    ]);
    expect(ignore[0]).to.include({ rule: "image-alt", selector: "#ads img", url_match: "/shop/", reason: "Not ours" });
    expect(ignore.map((entry) => mutingOf(entry).expires_at)[0]).to.equal("2027-01-31T23:59:59");
    for (const entry of ignore) expect(() => readMuting(mutingOf(entry), new Date("2026-11-27"))).not.to.throw();
  });

  it("may be given on the command line, entry by entry: a rule, or a map as in YAML", () => {
    expect(ignoreOfTexts(["bad-value/type", "{rule: image-alt, url_match: /shop/}"])).to.deep.equal([
      { rule: "bad-value/type" },
      { rule: "image-alt", url_match: "/shop/" },
    ]);
    for (const [text, message] of [
      [
        "{rule: x",
        /^--ignore number 2 is "\{rule: x", which cannot be read: .* It must be a rule or, as in YAML, a map/,
      ],
      ["{rule: &a x, message: *b}", /Unresolved alias|cannot be read/],
      ["{rul: x}", /^--ignore: "rul" is not a member of ignore\[1\]/],
      [" ", /^--ignore: ignore\[1\]\.rule is " "; it must be a text that is not empty/],
    ] as const)
      expect(() => ignoreOfTexts(["a", text])).to.throw(UsageError, message);
  });

  it("may leave an option open in a script, and says what else it may not be", () => {
    expect(readConfigData("c.js", { value: { maxPages: undefined, a11y: true } })).to.deep.equal({ a11y: true });
    for (const [value, message] of [
      [undefined, /^c\.js: the configuration is nothing; it must be a map/],
      [null, /is null/],
      [() => 1, /it must be a map of options/],
      [{ maxPages: 3n }, /^c\.js: maxPages is 3; it must be a whole number/],
    ] as const)
      expect(() => readConfigData("c.js", { value })).to.throw(UsageError, message);
  });

  it("can be read from what is printed of it", () => {
    const given = { targets: ["https://example.com"], maxPages: 0, exclude: ["#a", "b: c"], basePath: "/x" };
    const printed = printedConfig(given, "/somewhere/site-validator.config.yaml");
    expect(printed).to.match(/^# from the command line and \/somewhere\//);
    expect(readConfigData("c.yaml", { text: printed })).to.deep.equal(given);
    expect(readConfigData("c.yaml", { text: printedConfig({}, undefined) })).to.deep.equal({});
  });

  it("is printed without the values of headers and cookies, but with the variables that they come from", () => {
    const headers = { "X-Preview": "s3cret", Authorization: "$TOKEN", "X-Part": "Bearer $TOKEN" };
    const printed = printedConfig({ headers, cookies: { sid: "s3cret", lang: `\${OTHER}` }, userAgent: "MyBot" }, "c");
    expect(printed).not.to.include("s3cret");
    expect(readConfigData("c.yaml", { text: printed })).to.deep.equal({
      headers: { "X-Preview": "********", Authorization: "$TOKEN", "X-Part": "********" },
      cookies: { sid: "********", lang: `\${OTHER}` },
      userAgent: "MyBot",
    });
  });
});

describe("a configuration file", () => {
  let folder: string;
  let said: string[];
  const say = (text: string) => said.push(text);
  beforeEach(async () => {
    said = [];
    folder = await mkdtemp(path.join(tmpdir(), "sv-config-"));
    await mkdir(path.join(folder, "a", "b"), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  const found = () => readConfigFile({ folder: path.join(folder, "a", "b") }, { say });

  it("is found in the folders above, the nearest first", async () => {
    await write("site-validator.config.yaml", "maxPages: 1");
    expect(await found()).to.deep.equal({
      file: path.join(folder, "site-validator.config.yaml"),
      options: { maxPages: 1 },
    });
    await write("a/site-validator.config.json", '{"maxPages": 2}');
    expect(await found()).to.deep.include({ options: { maxPages: 2 } });
  });

  for (const name of ["site-validator.config.yaml", "site-validator.config.js"])
    for (const [where, mode] of [
      ["a folder that others may write to", 0o777],
      ["such a folder with a sticky bit", 0o1777],
    ] as const)
      it(`is not read in ${where}, which is said: ${name}`, async () => {
        await write(`a/${name}`, name.endsWith(".js") ? "globalThis.wasRun = true;" : "maxPages: 1");
        await chmod(path.join(folder, "a"), mode);
        expect(await found()).to.equal(undefined);
        expect(await readConfigFile({ folder: path.join(folder, "a") }, { say })).to.equal(undefined);
        expect(said).to.have.length(2);
        for (const text of said)
          expect(text).to.match(
            /^The configuration ".*site-validator\.config\.(yaml|js)" is not read: ".*\/a" can be written by others \(owner \d+, mode [01]777\)\. /,
          );
        expect(globalThis).not.to.have.property("wasRun");
      });

  it("is not read if others may write the file itself, or own it", async function () {
    await write("a/site-validator.config.yaml", "maxPages: 1");
    const file = path.join(folder, "a/site-validator.config.yaml");
    await chmod(file, 0o666);
    expect(await found()).to.equal(undefined);
    expect(said.join()).to.match(
      /config\.yaml" can be written by others \(owner \d+, mode 0666\)\. Name it .*: --config \//,
    );
    if (process.getuid?.() !== 0) {
      console.warn("    NOT RUN: only root can give a file to another user");
      return this.skip();
    }
    await chmod(file, 0o644);
    await chown(file, NOBODY, NOBODY);
    expect(await found()).to.equal(undefined);
    expect(said.at(-1)).to.match(/config\.yaml" belongs to another user \(owner 65534, mode 0644\)\./);
  });

  it("is read wherever it is if it is named, but not run", async () => {
    await write("a/own.yaml", "maxPages: 1");
    await write("a/own.js", "globalThis.wasRun = true;");
    await chmod(path.join(folder, "a"), 0o1777);
    expect(await readConfigFile({ file: path.join(folder, "a/own.yaml") }, { say })).to.deep.include({
      options: { maxPages: 1 },
    });
    expect(await fault("a/own.js")).to.match(
      /^The configuration ".*own\.js" is not run: ".*\/a" can be written by others .*\. Run as its owner, or /,
    );
    expect(globalThis).not.to.have.property("wasRun");
  });

  it("is read through links of trusted folders only", async () => {
    await write("a/target.yaml", "maxPages: 1");
    await symlink("../target.yaml", path.join(folder, "a/b/site-validator.config.yaml"));
    expect(await found()).to.deep.include({ options: { maxPages: 1 } });
    await rm(path.join(folder, "a/b/site-validator.config.yaml"));
    await mkdir(path.join(folder, "open"));
    await chmod(path.join(folder, "open"), 0o777);
    await symlink("../a/target.yaml", path.join(folder, "open/link.yaml"));
    await symlink("../../open/link.yaml", path.join(folder, "a/b/site-validator.config.yaml"));
    expect(await found()).to.equal(undefined);
    expect(said.join()).to.match(/"[^"]*\/open" can be written by others/);
  });

  it("is no link out of a folder of strangers, whose target messages would quote", async () => {
    await write("secret", "s3cret");
    await symlink("../secret", path.join(folder, "a/site-validator.config.yaml"));
    const options = { say, untrusted: true };
    expect(await readConfigFile({ folder: path.join(folder, "a") }, options)).to.equal(undefined);
    const named = await readConfigFile({ file: path.join(folder, "a/site-validator.config.yaml") }, options).catch(
      (error: Error) => error.message,
    );
    for (const text of [said.join(), String(named)])
      expect(text)
        .to.match(/ is not read: it is a link that leads out of its folder\./)
        .and.not.match(/s3cret/);
  });

  it("is not looked for above a folder of strangers", async () => {
    await write("a/site-validator.config.yaml", "failOn: never");
    const below = { folder: path.join(folder, "a/b") };
    expect(await readConfigFile(below, { say, untrusted: true })).to.equal(undefined);
    expect(await readConfigFile(below, { say, untrusted: false })).to.have.property("file");
  });

  it("is no script in a folder of strangers, whoever owns it", async () => {
    await write("a/site-validator.config.js", "globalThis.wasRun = true;");
    const options = { say, untrusted: true };
    expect(await readConfigFile({ folder: path.join(folder, "a") }, options)).to.equal(undefined);
    expect(said.join()).to.match(/is not read: it is a script, and --untrusted runs none\. Write the options as YAML/);
    const named = await readConfigFile({ file: path.join(folder, "a/site-validator.config.js") }, options).catch(
      (error: Error) => error.message,
    );
    expect(named).to.match(/is not run: it is a script, and --untrusted runs none/);
    expect(globalThis).not.to.have.property("wasRun");
  });

  it("may be a script, which exports options or a promise of them", async () => {
    await write("a/site-validator.config.js", "module.exports = { maxPages: 1 + 2 };");
    expect(await found()).to.deep.include({ options: { maxPages: 3 } });
    await write("a/own.mjs", "export default Promise.resolve({ maxPages: 4 });");
    expect(await readConfigFile({ file: path.join(folder, "a/own.mjs") }, { say })).to.deep.include({
      options: { maxPages: 4 },
    });
  });

  it("names files from its own folder, and leaves URLs as they are", async () => {
    await write(
      "a/site-validator.config.yaml",
      "targets: [./dist, https://example.com/]\nsarif: out/x.sarif\njunit: /tmp/x.xml\nbaseline: b.json",
    );
    const inFolder = (name: string) => path.join(folder, "a", name);
    expect((await found())?.options).to.deep.equal({
      targets: [inFolder("dist"), "https://example.com/"],
      ...{ sarif: inFolder("out/x.sarif"), junit: "/tmp/x.xml", baseline: inFolder("b.json") },
    });
  });

  const fault = async (name: string) => {
    const error = await readConfigFile({ file: path.join(folder, name) }, { say }).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(UsageError);
    return (error as UsageError).message;
  };

  it("is named in what is wrong with it", async () => {
    expect(await fault("none.yaml")).to.match(/^--config names ".*none\.yaml", which does not exist\.$/);
    expect(await fault("a")).to.match(
      /^The configuration ".*a" cannot be read: it is a folder; a regular file is needed\.$/,
    );
    await write("bad.mjs", "throw new Error('no luck')");
    expect(await fault("bad.mjs")).to.match(/^The configuration ".*bad\.mjs" cannot be run: no luck\.$/);
    await write("bad.yaml", "a11y: maybe");
    expect(await fault("bad.yaml")).to.match(/bad\.yaml:1:7: a11y is "maybe"/);
  });
});
