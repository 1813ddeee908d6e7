import { minVersion, satisfies } from "semver";

type Lockfile = { packages: Record<string, { engines?: { node?: string } }> };

/**
 * The lockfile without what packages say of a Node that is newer than the one with which this project can be installed. npm
 * compares that with the Node that installs, and warns; but all programs run on the Node 24 that is installed
 * (docs/adr/0002).
 *
 * @param runs the version of Node that programs run on
 * @param installs the range of versions with which npm may install
 * @throws an Error for a package that does not run on the first one
 */
export function withoutNewerNodes(text: string, { runs, installs }: { runs: string; installs: string }): string {
  const lockfile = JSON.parse(text) as Lockfile;
  const oldest = minVersion(installs)?.version ?? installs;
  for (const [name, { engines }] of Object.entries(lockfile.packages)) {
    if (engines?.node === undefined || !name.startsWith("node_modules/")) continue;
    if (!satisfies(runs, engines.node)) throw new Error(`${name} needs Node ${engines.node}; programs run on ${runs}.`);
    if (!satisfies(oldest, engines.node)) delete lockfile.packages[name]?.engines;
  }
  return `${JSON.stringify(lockfile, null, 2)}\n`;
}
