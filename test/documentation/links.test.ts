import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
/** Pages for people, except the guides to rules, which have tests of their own. */
const pages = globSync(["*.md", "{docs,charts,test,packages}/**/*.md"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
}).sort();

/** The targets of a page's links and pictures that are not addresses, outside of code. */
function targetsIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "`code`");
  const found = prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g);
  return [...found].map(([, link, picture]) => link ?? picture ?? "").filter((target) => !/^[a-z]+:/.test(target));
}

/** The fragments of a page's headings, as GitHub makes them. */
function headingsOf(text: string): Set<string> {
  const headings = text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set([...headings].map(([, heading = ""]) => fragmentOf(heading)));
}

function fragmentOf(heading: string): string {
  const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/`/g, "");
  return shown
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

describe("Links between pages of the documentation", () => {
  it("are found on the pages that have them", () => {
    expect(targetsIn(read("README.md"))).to.include.members(["docs/check.md", "docs/images/page.png"]);
    expect(headingsOf(read("docs/check.md"))).to.include("a-site-that-does-not-open-to-everybody");
  });

  for (const page of pages)
    it(`lead to files and headings that exist: ${page}`, () => {
      const broken = targetsIn(read(page)).filter((target) => {
        const [file = "", fragment] = target.split("#");
        const linked = file === "" ? page : path.join(path.dirname(page), file);
        if (!existsSync(path.join(root, linked))) return true;
        return fragment !== undefined && linked.endsWith(".md") && !headingsOf(read(linked)).has(fragment);
      });
      expect(broken).to.deep.equal([]);
    });

  it("lead from the README to every page of docs", () => {
    const linked = targetsIn(read("README.md")).map((target) => target.replace(/#.*/, ""));
    expect(linked).to.include.members(pages.filter((file) => path.dirname(file) === "docs"));
  });
});

/** Records that another one has replaced: they stay as they were written. */
const replaced = new Set(
  [...read("docs/adr/README.md").matchAll(/\]\((\S+\.md)\) \| .*\(replaced by /g)].map(
    ([, file]) => `docs/adr/${file}`,
  ),
);

/** The paths of sources that a page names as code, without patterns and placeholders. */
function sourcesIn(text: string): string[] {
  const found = text.matchAll(/`((?:src|test|bench|scripts)\/[^`\s*<>{}]*)`/g);
  return [...found].map(([, file = ""]) => file);
}

describe("Paths of sources in the documentation", () => {
  it("are found on the pages that have them", () => {
    expect(sourcesIn("`src/a.ts`, `src/a/<kind>/`, `test/*.ts` and `npm test`")).to.deep.equal(["src/a.ts"]);
    expect(sourcesIn(read("ARCHITECTURE.md"))).to.include.members(["src/cluster/port.ts", "src/database/"]);
    expect([...replaced]).to.include("docs/adr/0025-what-stays-our-own.md");
  });

  for (const page of pages.filter((file) => !replaced.has(file) && sourcesIn(read(file)).length > 0))
    it(`exist: ${page}`, () => {
      const [, workspace = ""] = /^(packages\/[^/]+\/)/.exec(page) ?? [];
      const gone = sourcesIn(read(page)).filter((file) => !existsSync(path.join(root, workspace, file)));
      expect(gone).to.deep.equal([]);
    });
});
