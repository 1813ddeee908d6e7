import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { resolveTargets } from "../../../../src/cli/check/targets/targets.ts";
import { parseSitemap, parseTextList } from "../../../../src/crawler/url-list.ts";
import { UsageError } from "../../../../src/domain/errors.ts";

const readList = async (text: string) => {
  const list = parseSitemap(text) ?? parseTextList(text);
  return list && { urls: [...list.urls, ...list.sitemaps], problems: list.problems ?? [] };
};
const sitemapOf = (urls: readonly string[]) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
const listing = (...listed: string[]) => ({ listed: { urls: listed, problems: [] } });
const urls = ["https://example.com/a", "https://example.com/b"];

describe("what check is asked to check", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-targets-"));
    await mkdir(path.join(folder, "dist"));
    await mkdir(path.join(folder, "empty"));
    const files: Record<string, string | Buffer> = {
      "dist/index.html": "<!DOCTYPE html>",
      "dist/a b#c.html": "<!DOCTYPE html>",
      "sitemap.xml": sitemapOf(urls),
      "sitemap.xml.gz": gzipSync(sitemapOf(urls)),
      "broken.gz": gzipSync(sitemapOf(urls)).subarray(0, 30),
      "index.xml": `<sitemapindex><sitemap><loc>https://example.com/s.xml</loc></sitemap></sitemapindex>`,
      "urls.txt": `# all pages\n${urls.join("\r\n")}\n`,
      "two-sites.txt": "https://example.com/\nhttps://example.org/\n",
      "relative.xml": sitemapOf(["/a"]),
      "torn.xml": "<urlset><url><loc></url>",
      "half.xml": `${sitemapOf([...urls, "/relative"]).slice(0, -9)}<url`,
      "many.txt": Array.from({ length: 1_002 }, (_, index) => `https://example.com/${index}`).join("\n"),
      "secret.txt": "https://me:secret@example.com/\n",
      "notes.txt": "Buy milk",
      "nothing.txt": "",
    };
    for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  });
  after(() => rm(folder, { recursive: true }));

  it("may be a link to a folder, but not a page that is a link out of its folder", async () => {
    await mkdir(path.join(folder, "linked"));
    for (const [name, target] of [
      ["site", "dist"],
      ["linked/index.html", "../dist/index.html"],
      ["linked/in.html", "real.html"],
    ] as const)
      await symlink(target, path.join(folder, name));
    await writeFile(path.join(folder, "linked/real.html"), "");
    const site = path.join(folder, "site");
    expect(await resolveTargets([site], readList)).to.deep.equal({ folder: site, page: "" });
    const page = path.join(folder, "linked/in.html");
    expect(await resolveTargets([page], readList)).to.deep.equal({ folder: path.dirname(page), page: "in.html" });
    for (const target of ["linked", "linked/index.html"]) {
      const error = await resolveTargets([path.join(folder, target)], readList).catch(
        (caught: Error) => caught.message,
      );
      expect(error).to.match(
        /linked\/index\.html" is a symbolic link that leads out of its folder, to ".*\/dist\/index\.html"\. Name that/,
      );
    }
  });

  const resolved = (...names: string[]) =>
    resolveTargets(
      names.map((name) => (name.includes("://") || name === "" ? name : path.join(folder, name))),
      readList,
    );
  const fault = async (names: readonly string[]): Promise<string> => {
    const error = await resolved(...names).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(UsageError);
    return (error as UsageError).message;
  };

  it("is a URL, or several of a site", async () => {
    expect(await resolved("https://example.com")).to.deep.equal({ urls: ["https://example.com"], ...listing() });
    expect(await resolved(...urls)).to.deep.equal({ urls, ...listing() });
    expect(await resolved("http://example.com/", "https://example.com/a"))
      .to.have.property("urls")
      .with.length(2);
  });

  it("is a folder with an index.html", async () => {
    expect(await resolved("dist")).to.deep.equal({ folder: path.join(folder, "dist"), page: "" });
  });

  it("is a page of a folder, by its name as URLs have it", async () => {
    expect(await resolved("dist/index.html")).to.deep.equal({ folder: path.join(folder, "dist"), page: "index.html" });
    expect(await resolved("dist/a b#c.html")).to.deep.include({ page: "a%20b%23c.html" });
  });

  for (const name of ["sitemap.xml", "sitemap.xml.gz", "urls.txt"])
    it(`is what a file lists: ${name}`, async () => {
      expect(await resolved(name)).to.deep.equal({ urls: urls.slice(0, 1), ...listing(...urls.slice(1)) });
    });

  it("is what a file lists, however long it is", async () => {
    const found = await resolved("many.txt");
    expect("listed" in found && [found.urls.length, found.listed.urls.length]).to.deep.equal([1, 1_001]);
  });

  it("is what could be read of a broken list, and what could not", async () => {
    const found = await resolved("half.xml");
    const { listed, urls: start } = "listed" in found ? found : expect.fail();
    expect([start, listed.urls]).to.deep.equal([urls.slice(0, 1), urls.slice(1)]);
    expect(listed.problems.map(({ code }) => code)).to.deep.equal(["sitemap_incomplete", "sitemap_entries_dropped"]);
    expect(listed.problems.map(({ file }) => path.basename(file))).to.deep.equal(["half.xml", "half.xml"]);
    expect(listed.problems[0]?.detail).to.match(/^Line 1: .* 3 URLs before it were read\.$/);
  });

  it("is the sitemaps of a sitemap index, and lists and URLs together", async () => {
    expect(await resolved("index.xml")).to.deep.equal({ urls: ["https://example.com/s.xml"], ...listing() });
    expect(await resolved("urls.txt", "https://example.com/c")).to.deep.equal({
      urls: [...urls.slice(0, 1), "https://example.com/c"],
      ...listing(...urls.slice(1)),
    });
  });

  for (const [what, names, message] of [
    [
      "a name of nothing",
      ["nonsense"],
      /^<target> is ".*nonsense"; it must be a URL .* or a folder or file that exists\.$/,
    ],
    ["another scheme", ["ftp://example.com"], /<target> is "ftp:\/\/example.com"/],
    ["no host", ["http://"], /<target> is "http:\/\/"/],
    ["half an address", ["http://[x/"], /<target> is/],
    ["a password", ["https://me:secret@example.com"], /credentials are not accepted/],
    ["a long URL", [`https://example.com/${"a".repeat(2000)}`], /2020 characters; at most 2000/],
    [
      "more URLs than a report takes",
      Array.from({ length: 1_002 }, (_, index) => `https://example.com/${index}`),
      /^1002 URLs are given; at most 1001 are allowed/,
    ],
    ["two sites", ["https://example.com", "https://example.org"], /are not of the same site/],
    ["two sites in a file", ["two-sites.txt"], /are not of the same site/],
    ["a password in a file", ["secret.txt"], /credentials are not accepted/],
    ["a list of relative addresses", ["relative.xml"], /is neither a page .* The entry "\/a" does not begin with http/],
    [
      "a list that breaks before its first URL",
      ["torn.xml"],
      /is neither a page .* Line 1: .*0 URLs before it were read/,
    ],
    ["a folder and a URL", ["dist", "https://example.com"], /is served as a site of its own: name it alone/],
    ["a folder without pages", ["empty"], /has no index\.html, where the check would begin/],
    ["a file that lists nothing", ["nothing.txt"], /is neither a page .* nor a sitemap/],
    ["a file of something else", ["notes.txt"], /is neither a page .* nor a sitemap/],
    ["a file that is cut off", ["broken.gz"], /cannot be unpacked/],
  ] as const)
    it(`is not ${what}`, async () => {
      const text = await fault(names);
      expect(text).to.match(message);
      expect(text).not.to.include("secret@");
    });

  it("has a hint where only the scheme is missing", async () => {
    const error = await resolveTargets(["example.com/a"], readList).catch((caught: Error) => caught.message);
    expect(error).to.match(/Did you mean https:\/\/example\.com\/a\?$/);
  });
});
