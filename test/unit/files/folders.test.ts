import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { isHidden, isInside, realPathOf } from "../../../src/files/inside.ts";
import { makeFolder } from "../../../src/files/make-folder.ts";
import { type Opened, openInside } from "../../../src/files/open-inside.ts";

describe("What the programs do with folders", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "sv-folders-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const at = (...names: string[]): string => path.join(root, ...names);
  const said = async (opening: Promise<Opened>): Promise<string> => {
    const opened = await opening;
    if (opened === undefined) return "nothing";
    if ("isFolder" in opened) return "a folder";
    if ("leftOut" in opened) return opened.leftOut;
    await opened.handle.close();
    return `${opened.size} bytes, ${opened.links} names`;
  };

  it("makes one with all above it, once, with its mode", async () => {
    await makeFolder(at("a", "b", "c"), 0o700);
    await makeFolder(at("a", "b", "c"), 0o700);
    expect((await stat(at("a", "b", "c"))).mode & 0o777).to.equal(0o700);
  });

  it("does not take a file, or a link to one, for a folder", async () => {
    await writeFile(at("file"), "");
    await symlink(at("file"), at("link"));
    for (const name of ["file", "link"]) {
      const error = await makeFolder(at(name), 0o700).catch((thrown: NodeJS.ErrnoException) => thrown);
      expect(error).to.include({ code: "EEXIST" });
    }
    const below = await makeFolder(at("file", "below"), 0o700).catch((thrown: NodeJS.ErrnoException) => thrown);
    expect(below).to.include({ code: "ENOTDIR" });
  });

  it("takes a link to a folder for one", async () => {
    await mkdir(at("folder"));
    await symlink(at("folder"), at("link"));
    await makeFolder(at("link"), 0o700);
  });

  it("knows the real path of what is there, or can be made there", async () => {
    const real = await realpath(root);
    await mkdir(at("folder"));
    await symlink("folder", at("link"));
    await symlink("nowhere", at("broken"));
    await symlink("loop", at("loop"));
    expect(await Promise.all([at("link"), at("link", "new"), at("folder", "..", "new")].map(realPathOf))).to.deep.equal(
      [...[path.join(real, "folder"), path.join(real, "folder", "new"), path.join(real, "new")]],
    );
    for (const [name, code] of [
      ["broken", "ENOENT"],
      ["loop", "ELOOP"],
      ["no/new", "ENOENT"],
      ["broken/new", "ENOENT"],
    ] as const)
      expect(await realPathOf(at(name)).catch((error: NodeJS.ErrnoException) => error.code), name).to.equal(code);
  });

  it("tells what is in one from what is beside it, and what is hidden", () => {
    const inside = ["/a", "/a/b", "/a/..b", "/a/b/../c"].map((file) => isInside("/a", path.normalize(file)));
    const outside = ["/", "/b", "/ab", "/a/../b", "/a/.."].map((file) => isInside("/a", path.normalize(file)));
    expect([...inside, ...outside]).to.deep.equal([true, true, true, true, false, false, false, false, false]);
    expect([".git/a", "a/.b", "a\\.b", "a.b", "a/b.c/d"].map(isHidden)).to.deep.equal([true, true, true, false, false]);
  });

  it("opens files inside of one, and says why it leaves others out", async () => {
    await mkdir(at("site", ".git"), { recursive: true });
    await writeFile(at("site", "page.html"), "four");
    await writeFile(at("site", ".git", "token"), "");
    await writeFile(at("secret"), "");
    await symlink("page.html", at("site", "link"));
    await symlink("loop", at("site", "loop"));
    await symlink("../secret", at("site", "out"));
    await symlink(".git/token", at("site", "hidden"));
    const open = (name: string) => said(openInside(at("site"), at("site", name)));
    expect(
      await Promise.all(
        ["page.html", "link", ".", "loop", "out", "hidden", "none", "page.html/none", "a".repeat(300)].map(open),
      ),
    ).to.deep.equal([
      ...["4 bytes, 1 names", "4 bytes, 1 names", "a folder", "a symbolic link that leads to itself"],
      ...["a symbolic link that leads out of the folder", "a symbolic link that leads to a hidden file"],
      ...["nothing", "nothing", "nothing"],
    ]);
    await chmod(at("site"), 0o755);
  });
});
