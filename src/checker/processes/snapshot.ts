import { existsSync } from "node:fs";
import { startupSnapshot } from "node:v8";

/**
 * Runs a child process's program. A process that makes a snapshot of its memory (bundle/build.js) only gets ready; those
 * that start from the snapshot serve at once.
 *
 * @param serve its argument says whether the process is ready
 */
export async function serveFromSnapshot(
  getReady: () => Promise<void>,
  serve: (isReady: boolean) => Promise<void>,
): Promise<void> {
  if (!startupSnapshot.isBuildingSnapshot()) return serve(false);
  startupSnapshot.setDeserializeMainFunction(() => void serve(true));
  await getReady();
}

/**
 * Node's arguments with which a module's process starts from a snapshot of its memory (bundle/build.js); undefined where
 * there is none. It is for one version of Node: another one would refuse to start from it.
 *
 * @param module the module's file
 */
export function snapshotArguments(module: string): string[] | undefined {
  const file = `${module}.${process.version}-${process.platform}-${process.arch}.snapshot`;
  return existsSync(file) ? ["--snapshot-blob", file] : undefined;
}
