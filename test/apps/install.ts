import { access, lstat, mkdir, readdir, readFile, readlink, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { run } from "./processes.ts";

/** Where everything is kept that is installed once: not in the checkout. */
export const CACHE = process.env.APPS_CACHE ?? path.join(homedir(), ".cache", "site-validator-apps");

/** What Debian's packages ask whether they may start a service. */
const POLICY = "/usr/sbin/policy-rc.d";

/** Installs Debian's packages on this machine, those that are missing, without starting services. Needs root then. */
export async function installDebian(...names: string[]): Promise<void> {
  const missing: string[] = [];
  for (const name of names) if ((await debianVersion(name)) === undefined) missing.push(name);
  if (missing.length === 0) return;
  console.log(`Installs Debian's ${missing.join(", ")}.`);
  await updateLists();
  const isOurs = !(await exists(POLICY));
  if (isOurs) await writeFile(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    await run(["apt-get", ...aptOptions, "install", "-y", "--no-install-recommends", ...missing], {
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
  } finally {
    if (isOurs) await rm(POLICY);
  }
}

/** @returns the version that is installed */
export async function debianVersion(name: string): Promise<string | undefined> {
  const status = await run(["dpkg", "-s", name]).catch(() => "");
  return /^Status: .* installed$/m.test(status) ? /^Version: (\S+)$/m.exec(status)?.[1] : undefined;
}

/**
 * Unpacks Debian's packages into a folder below the cache, without installing them: no web server is set up on this machine, and
 * no script of theirs runs. Links to absolute paths lead into the same folder, where they can.
 *
 * @returns the folder, and the first package's version
 */
export async function unpackDebian(...names: string[]): Promise<{ root: string; version: string }> {
  const root = path.join(CACHE, "debian", names.join("+").slice(0, 100));
  const done = path.join(root, "versions.txt");
  if (!(await exists(done))) {
    console.log(`Unpacks Debian's ${names.join(", ")}.`);
    await rm(root, { recursive: true, force: true });
    const packages = path.join(root, "packages");
    await mkdir(packages, { recursive: true });
    await updateLists();
    await run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", ...names], { cwd: packages });
    for (const file of await readdir(packages)) await run(["dpkg-deb", "-x", path.join(packages, file), root]);
    await rm(packages, { recursive: true });
    await turnLinks(root);
    await writeFile(done, await run(["apt-cache", "policy", ...names]));
  }
  const version = /Candidate: (\S+)/.exec(await readFile(done, "utf8"))?.[1] ?? "";
  return { root, version };
}

async function turnLinks(root: string): Promise<void> {
  const links = (await run(["find", root, "-type", "l", "-lname", "/*"])).split("\n").filter(Boolean);
  for (const link of links) {
    const inside = path.join(root, await readlink(link));
    if (!(await exists(inside))) continue;
    await unlink(link);
    await symlink(inside, link);
  }
  // Those that are left lead to what scripts of packages make, or to packages that are not needed.
  await run(["find", root, "-xtype", "l", "-delete"]);
}

const aptOptions = ["-q", "-o", "DPkg::Lock::Timeout=900"];
let isUpdated = false;

/** Once a run: what is listed may be gone, or not there yet. */
async function updateLists(): Promise<void> {
  if (!isUpdated) await run(["apt-get", ...aptOptions, "update"]);
  isUpdated = true;
}

/** A virtual environment of Python with these packages. @returns its folder, and the first package's version */
export async function installPython(name: string, ...packages: string[]): Promise<{ venv: string; version: string }> {
  const venv = path.join(CACHE, "python", name);
  const done = path.join(venv, "installed.txt");
  const wanted = packages.join("\n");
  if ((await readFile(done, "utf8").catch(() => "")) !== wanted) {
    console.log(`Installs Python's ${packages.join(", ")}.`);
    await rm(venv, { recursive: true, force: true });
    await run(["python3", "-m", "venv", venv]);
    await run([path.join(venv, "bin", "pip"), "install", "-q", "--disable-pip-version-check", ...packages]);
    await writeFile(done, wanted);
  }
  const first = packages[0]?.split(/[=<>[]/)[0] ?? "";
  const shown = await run([path.join(venv, "bin", "pip"), "show", "--disable-pip-version-check", first]);
  return { venv, version: /^Version: (\S+)/m.exec(shown)?.[1] ?? "" };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Copies a folder with what links in it lead to, so that an application can change all of its own files. */
export async function copyTree(from: string, to: string): Promise<void> {
  const isThere = await lstat(from).catch(() => undefined);
  if (!isThere) throw new Error(`${from} is missing.`);
  await mkdir(path.dirname(to), { recursive: true });
  await run(["cp", "-rL", "--reflink=auto", from, to]);
}
