import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Application, Place, Role, Started } from "./application.ts";
import { type Checked, type CheckSize, checkSignedIn } from "./check.ts";
import { crawlersCookie, openDoor, type Visit } from "./door.ts";
import { filesOf } from "./files.ts";
import { type Opened, openLeftOut } from "./open-left-out.ts";
import { createProcesses, freePort } from "./processes.ts";
import { type Change, changedRows, type Tables } from "./rows.ts";

/** What came of a check of an application in a role. */
export type Outcome = {
  application: Application;
  role: string;
  version: string;
  checked: Checked;
  changes: Change[];
  visits: readonly Visit[];
  /** The application's address during the run. */
  url: string;
  /** What came of opening what was left out, if that was asked for. */
  opened: readonly Opened[];
};

type World = { rows: Tables; files: Tables };

/** Starts an application with fresh data, checks it, and says what is different afterwards. */
export async function checkApplication(
  application: Application,
  name: string,
  size: CheckSize,
  options: { keep?: boolean; version: string; opensLeftOut?: boolean },
): Promise<Outcome> {
  return inFreshPlace(application, options, async (place, started) => {
    const role = roleOf(application, name);
    const before = await worldOf(started);
    const checked = await checkSignedIn(application, role, place, size);
    const changes = differences(before, await worldOf(started));
    const look = async (from: Started) => {
      const then = await worldOf(from);
      return async (later: Started) => differences(then, await worldOf(later));
    };
    const visits = [...place.door.visits];
    const opened = options.opensLeftOut ? await openLeftOut(application, place, started, checked, look) : [];
    return {
      application,
      role: name,
      version: options.version,
      checked,
      changes,
      visits,
      url: place.url,
      opened,
    };
  });
}

/** Opens pages one by one with a session, as a person would, and says what is different afterwards. */
export async function openByHand(
  application: Application,
  name: string,
  pages: readonly string[],
  options: { keep?: boolean; checkout?: string },
): Promise<Change[]> {
  return inFreshPlace(application, options, async (place, started) => {
    const role = roleOf(application, name);
    const before = await worldOf(started);
    // Some pages, checked as HTML alone, are enough to sign in.
    const { failed, pages: visited } = await checkSignedIn(application, role, place, {
      maxPages: 3,
      depth: "static",
      extra: [],
      htmlOnly: true,
      ...(options.checkout !== undefined && { checkout: options.checkout }),
    });
    if (failed.length >= visited.length) throw new Error(`Not signed in by hand: ${failed[0]?.reason}`);
    const cookie = crawlersCookie(place.door.visits);
    for (const page of pages) {
      const response = await fetch(place.url + page, { headers: { cookie }, redirect: "manual" });
      await response.arrayBuffer();
    }
    return differences(before, await worldOf(started));
  });
}

function roleOf({ name, roles }: Application, role: string): Role {
  const found = roles[role];
  if (!found) throw new Error(`${name} has the roles ${Object.keys(roles).join(", ")}, and no ${role}.`);
  return found;
}

async function worldOf({ tables, folders }: Started): Promise<World> {
  return { rows: await tables(), files: await filesOf(folders) };
}

function differences(before: World, after: World): Change[] {
  return [...changedRows(before.rows, after.rows), ...changedRows(before.files, after.files)];
}

/** @param options.keep whether the folder stays, to be looked at */
async function inFreshPlace<Result>(
  application: Application,
  { keep = false }: { keep?: boolean },
  work: (place: Place, started: Started) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), "sv-apps-"));
  // Checkers and databases may run as other users.
  await chmod(folder, 0o755);
  await mkdir(path.join(folder, "logs"));
  const processes = createProcesses(path.join(folder, "logs"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const interrupted = () =>
    void processes
      .end()
      .then(remove)
      .finally(() => process.exit(130));
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const port = await freePort();
  const door = await openDoor(port);
  try {
    const place = { folder, port, url: door.url, door, processes };
    return await work(place, await application.start(place));
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    await door.close();
    await processes.end();
    if (keep) console.log(`Kept ${folder}.`);
    else await remove();
  }
}
