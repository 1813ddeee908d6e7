import { execFile } from "node:child_process";
import { chown, mkdir, mkdtemp, open, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Context } from "mocha";
import { serverOwner } from "../../src/embedded/server-user.ts";

const run = promisify(execFile);

export type SmallDisk = {
  /** An empty folder on the disk, for the PostgreSQL server. */
  folder: string;
  /** Writes until nothing more fits. */
  fill(): Promise<void>;
  /** Makes room again. */
  free(): Promise<void>;
  unmount(): Promise<void>;
};

/** A disk of its own in memory. Where it may not be mounted, the test is skipped, and the output says so. */
export async function mountSmallDisk(test: Context, megabytes: number): Promise<SmallDisk> {
  const mountPoint = await mkdtemp(path.join(tmpdir(), "sv-disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", mountPoint]);
  } catch (error) {
    await rmdir(mountPoint);
    console.warn(`    NOT RUN: a small disk cannot be mounted here: ${(error as Error).message.trim()}`);
    return test.skip();
  }
  const folder = path.join(mountPoint, "tablespace");
  await mkdir(folder, { mode: 0o700 });
  const owner = serverOwner();
  if (owner) await chown(folder, owner.uid, owner.gid);
  const filler = path.join(mountPoint, "filler");
  return {
    folder,
    async fill() {
      const file = await open(filler, "a");
      try {
        for (let size = 1_048_576; size >= 512; ) {
          const { bytesWritten } = await file.write(Buffer.alloc(size)).catch(() => ({ bytesWritten: 0 }));
          if (bytesWritten < size) size /= 2;
        }
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler, { force: true }),
    async unmount() {
      await run("umount", [mountPoint]);
      await rmdir(mountPoint);
    },
  };
}
