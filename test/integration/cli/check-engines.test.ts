import { expect } from "chai";
import { engineOf } from "../../../src/checker/engines/html/versions.ts";
import type { ExportedFinding } from "../../../src/domain/export/exported.ts";
import type { HtmlEngineName } from "../../../src/schema/html-engines.ts";
import { requireNu } from "../../support/nu.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";

const page = (head: string, body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>${head}<title>A page</title></head>\n<body>\n${body}\n</body>\n</html>\n`;
const links = '<a href="/xhtml">XHTML</a> <a href="/legacy">Legacy</a>';
const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en"><head><title>t</title></head><body><ul>
<li>one<li>two</li></li></ul></body></html>`;

describe("check with an HTML engine", () => {
  let sandbox: Sandbox;
  let site: Site;

  before(async () => {
    sandbox = await openSandbox();
    site = await serveSite({
      "/": page("", `${links}<img src="/x.png">`),
      "/xhtml": { headers: { "content-type": "application/xhtml+xml" }, body: xhtml },
      "/legacy": {
        headers: { "content-type": "text/html" },
        body: Buffer.from(page("<meta charset=windows-1252>", "<p>\xe4</p>"), "latin1"),
      },
    });
  });
  after(async () => {
    await site.close();
    await sandbox.close();
  });

  const check = async (engine: HtmlEngineName, ...args: string[]) => {
    const given = ["check", site.url, "--json", "--html-engine", engine, ...args];
    const { code, stdout, stderr } = await sandbox.start(given).ended;
    expect(code, stderr).to.equal(1);
    const { data, findings } = JSON.parse(stdout);
    expect(data.attributes).to.deep.include({ html_engine: engine, engines: { html: engineOf(engine) } });
    expect(data.attributes.checks.html.status).to.deep.equal({ pending: 0, checked: 3, failed: 0 });
    return findings as ExportedFinding[];
  };
  const rulesOf = (findings: ExportedFinding[]) =>
    findings.map(({ issue_type, rule }) => `${issue_type} ${rule}`).sort();

  const expected = [
    "error element-not-allowed",
    "error img/alt",
    "error meta/charset",
    "error parse/encoding-not-utf-8",
  ];

  it("conformance judges a page as it was received: XHTML as XML, and the encoding of the bytes", async () => {
    const findings = await check("conformance");
    expect(rulesOf(findings)).to.deep.equal(expected);
    for (const { help_url } of findings) expect(help_url).to.match(/^https:\/\//);
  });

  it("conformance finds the same on pages that a browser crawled", async () => {
    expect(rulesOf(await check("conformance", "--dynamic"))).to.deep.equal(expected);
  });

  it("html-validate has its own rules", async () => {
    expect(rulesOf(await check("html-validate"))).to.include("error wcag/h37");
  });

  it("nu is the Nu Html Checker", async function () {
    await requireNu(this);
    const findings = await check("nu");
    expect(findings.length).to.be.at.least(2);
    for (const { help_url } of findings) expect(help_url).to.equal(null);
  });
});
