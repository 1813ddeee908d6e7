import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** A folder with the packed package, for a machine that has nothing else: an empty home, and no PATH to this checkout. */
export type PackedPackage = {
  folder: string;
  tarball: string;
  /** The environment of somebody with an empty home; npm takes its settings and what it has downloaded from this machine. */
  environment: Record<string, string>;
  /** The command in the folder that npx installed it to. */
  installed(): Promise<string>;
  remove(): Promise<void>;
};

/** Packs this checkout. @param args of `npm pack` */
export async function pack(args: string[] = []): Promise<PackedPackage> {
  // Not the sandbox: PostgreSQL and Chromium run as other users if this is root, and read what is installed here.
  const folder = await mkdtemp(path.join(tmpdir(), "package-"));
  const npm = (...rest: string[]) => run("npm", rest, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  const { stdout } = await npm("pack", "--json", "--pack-destination", folder, ...args);
  const tarball = path.join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? stdout);
  const setting = async (name: string) => (await npm("config", "get", name)).stdout.trim();
  const [cache, userconfig] = await Promise.all([setting("cache"), setting("userconfig")]);
  // npx installs into npm's cache, which this test must not fill.
  await mkdir(path.join(folder, "cache"));
  await symlink(path.join(cache, "_cacache"), path.join(folder, "cache", "_cacache"));
  await Promise.all(["home", "empty", "data", "prepared"].map((name) => mkdir(path.join(folder, name))));
  const kept = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"];
  return {
    folder,
    tarball,
    environment: {
      ...Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      PATH: (process.env.PATH ?? "")
        .split(path.delimiter)
        .filter((name) => !name.includes("node_modules"))
        .join(":"),
      HOME: path.join(folder, "home"),
      CACHE_DIR: path.join(folder, "prepared"),
      npm_config_cache: path.join(folder, "cache"),
      npm_config_userconfig: userconfig,
      npm_config_update_notifier: "false",
    },
    async installed() {
      const npx = path.join(folder, "cache", "_npx");
      const [name = ""] = await readdir(npx);
      return path.join(npx, name, "node_modules", "site-validator", "bin", "site-validator.js");
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Why npm could not install, when that is for want of a registry. */
export function withoutRegistry(stderr: string): string | undefined {
  return /npm (?:error|ERR!) code (ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|E404|E5\d\d)/.exec(
    stderr,
  )?.[1];
}
