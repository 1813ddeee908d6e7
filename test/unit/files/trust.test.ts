import { chmod, chown, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { requireOwnPackage } from "../../../src/files/own-modules.ts";
import { distrust, faultOf, isPrivateGroup, unmappedUser } from "../../../src/files/trust.ts";

const identity = { uid: 1000, isPrivateGroup: async (gid: number) => gid === 1000 };

describe("what a process trusts", () => {
  for (const [what, entry, isPassage, fault] of [
    ["its user's own", { uid: 1000, gid: 1000, mode: 0o644 }, false, undefined],
    ["root's", { uid: 0, gid: 0, mode: 0o755 }, false, undefined],
    ["what only its user's own group may write", { uid: 1000, gid: 1000, mode: 0o664 }, false, undefined],
    ["a sticky folder on the way", { uid: 0, gid: 0, mode: 0o1777 }, true, undefined],
    [
      "not another user's",
      { uid: 1001, gid: 1000, mode: 0o600 },
      false,
      "belongs to another user (owner 1001, mode 0600)",
    ],
    [
      "not another user's folder on the way",
      { uid: 1001, gid: 0, mode: 0o1755 },
      true,
      "belongs to another user (owner 1001, mode 1755)",
    ],
    [
      "not what all may write",
      { uid: 1000, gid: 1000, mode: 0o646 },
      false,
      "can be written by others (owner 1000, mode 0646)",
    ],
    [
      "not a folder on the way that all may write",
      { uid: 0, gid: 0, mode: 0o777 },
      true,
      "can be written by others (owner 0, mode 0777)",
    ],
    [
      "not a sticky folder as a place",
      { uid: 0, gid: 0, mode: 0o1777 },
      false,
      "can be written by others (owner 0, mode 1777)",
    ],
    [
      "not what a shared group may write",
      { uid: 1000, gid: 100, mode: 0o664 },
      false,
      "can be written by group 100 (owner 1000, mode 0664)",
    ],
  ] as const)
    it(`is ${what}`, async () => {
      expect(await faultOf(entry, isPassage, identity)).to.equal(fault);
    });

  const users = [
    ["root", "x", "0", "0"],
    ["me", "x", "1000", "1000"],
    ["you", "x", "1001", "100"],
  ];
  for (const [what, gid, groups, uid, isPrivate] of [
    ["root's", 0, [], 1000, true],
    ["of the user's name, without other members", 1000, [["me", "x", "1000", ""]], 1000, true],
    ["with the user and root as members", 1000, [["me", "x", "1000", "me,root"]], 1000, true],
    ["with another member", 1000, [["me", "x", "1000", "me,you"]], 1000, false],
    ["that is another user's primary one", 100, [["users", "x", "100", ""]], 1000, false],
    ["of the user's number that only a directory service knows", 5000, [], 5000, true],
    ["of another number that only a directory service knows", 5001, [], 5000, false],
    ["of a user whom only a directory service knows", 1000, [["me", "x", "1000", ""]], 5000, false],
  ] as const)
    it(`is ${isPrivate ? "" : "not "}a group ${what}`, () => {
      expect(isPrivateGroup(gid, uid, users, groups as unknown as string[][])).to.equal(isPrivate);
    });

  it("is a folder on the way that belongs to nobody whom a sandbox knows, and nothing in such a folder", async () => {
    expect(unmappedUser("         0          0 4294967295\n")).to.equal(undefined);
    expect(unmappedUser("      1000       1000          1\n")).to.equal(65_534);
    expect(unmappedUser("0 1000 1\n1 100000 65536\n")).to.equal(undefined);
    expect(unmappedUser("")).to.equal(undefined);
    const inSandbox = { ...identity, unmapped: 65_534 };
    const entry = { uid: 65_534, gid: 65_534, mode: 0o755 };
    expect(await faultOf(entry, true, inSandbox)).to.equal(undefined);
    expect(await faultOf({ ...entry, mode: 0o777 }, true, inSandbox)).to.match(/can be written by others/);
    expect(await faultOf(entry, false, inSandbox)).to.match(/belongs to another user/);
    expect(await faultOf(entry, true, identity)).to.match(/belongs to another user/);
  });

  describe("on a disk", () => {
    let folder: string;
    beforeEach(async () => {
      folder = await realpath(await mkdtemp(path.join(tmpdir(), "sv-trust-")));
      await mkdir(path.join(folder, "open"));
      await mkdir(path.join(folder, "own"));
      await writeFile(path.join(folder, "own", "file"), "");
      await writeFile(path.join(folder, "open", "file"), "");
      await chmod(path.join(folder, "open"), 0o777);
    });
    afterEach(() => rm(folder, { recursive: true }));
    const at = (...names: string[]) => path.join(folder, ...names);

    it("is a file in folders of its own, below a shared one", async () => {
      expect(await distrust(at("own", "file"))).to.equal(undefined);
      expect(await distrust(at("own"), "folder")).to.equal(undefined);
      expect(await distrust(at("open", "file"))).to.match(/\/open" can be written by others/);
    });

    it("is nothing below a folder that others may write to, but below a sticky one", async () => {
      await mkdir(at("open", "below"));
      await writeFile(at("open", "below", "file"), "");
      expect(await distrust(at("open", "below", "file"))).to.match(/\/open" can be written by others/);
      await chmod(at("open"), 0o1777);
      expect(await distrust(at("open", "below", "file"))).to.equal(undefined);
      expect(await distrust(at("open", "file"))).to.match(/\/open" can be written by others/);
      expect(await distrust(at("open"), "folder")).to.match(/\/open" can be written by others/);
      expect(await distrust(at("open"), "shared")).to.equal(undefined);
    });

    it("is no file through a link, or a folder's link, that others could have changed", async () => {
      await symlink("../own/file", at("open", "link"));
      await symlink("open/link", at("two"));
      await symlink("own", at("folder"));
      await symlink("open", at("shared"));
      expect(await distrust(at("two"))).to.match(/\/open" can be written by others/);
      expect(await distrust(at("folder", "file"))).to.equal(undefined);
      expect(await distrust(at("shared", "file"))).to.match(/\/open" can be written by others/);
    });

    it("is no link that leads to itself", async () => {
      await symlink("b", at("a"));
      await symlink("a", at("b"));
      expect(await distrust(at("a"))).to.match(/is a symbolic link that leads to itself/);
    });

    it("is nothing of another user", async () => {
      // What is root's is trusted by all.
      if (process.geteuid?.() === 0) await chown(at("own", "file"), 4_000_001, 4_000_001);
      expect(await distrust(at("own", "file"), "file", { ...identity, uid: 4_000_000 })).to.match(/belongs to another/);
    });
  });

  it("is no optional package of a folder above", () => {
    expect(() => requireOwnPackage("no-such-package")).to.throw(/no-such-package is not in .*node_modules\./);
    expect(() => requireOwnPackage("axe-core")).not.to.throw();
  });
});
