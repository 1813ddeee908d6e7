import { readFileSync } from "node:fs";
import { lstat, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../domain/errors.ts";

/** Who this process is, as far as trust in files depends on it. */
export type Identity = {
  uid: number;
  /** Whether nobody but this user and root is in a group. */
  isPrivateGroup: (gid: number) => Promise<boolean>;
  /** The user that all others look like whom this user namespace does not have, root of the machine among them. */
  unmapped?: number | undefined;
};

/** What `stat` says of a file or folder. */
export type Entry = { uid: number; gid: number; mode: number };

type Kind = "file" | "folder" | "shared";

const OTHERS_MAY_WRITE = 0o002;
const GROUP_MAY_WRITE = 0o020;
const STICKY = 0o1000;
/** Linux's default for /proc/sys/kernel/overflowuid. */
const OVERFLOW_USER = 65_534;
/** As in Linux (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Says who else could have written a file from which code or settings are to be read, or could put another one in its
 * place: somebody who owns, or may write to, the file, its folder, a folder above it or a link on the way. A folder
 * such as /tmp, whose sticky bit protects what is in it, may be on the way, but not hold the file itself. Access
 * control lists are not looked at: on Linux, their limit shows in the group's mode.
 *
 * @param file its path; it must exist
 * @param kind a file, a folder that nobody else may write to either, or a folder such as /tmp for what is ours
 * @returns undefined if it can be trusted, else the reason, as in `"/tmp" can be written by others (owner 0, mode 1777)`
 */
export async function distrust(
  file: string,
  kind: Kind = "file",
  identity: Identity | undefined = ownIdentity(),
): Promise<string | undefined> {
  // Without users (Windows) there is nothing to compare.
  if (!identity) return undefined;
  let rest = partsOf(path.resolve(file));
  let at = path.parse(path.resolve(file)).root;
  for (let links = 0; ; ) {
    const found = await lstat(at);
    const isPassage = rest.length > { file: 1, folder: 0, shared: -1 }[kind];
    const why = found.isSymbolicLink()
      ? strangerOf(found, isPassage, identity)
      : await faultOf(found, isPassage && found.isDirectory(), identity);
    if (why) return `${JSON.stringify(at)} ${why}`;
    if (found.isSymbolicLink()) {
      if (++links > MAX_LINKS) return `${JSON.stringify(at)} is a symbolic link that leads to itself`;
      const target = path.resolve(path.dirname(at), await readlink(at));
      rest = [...partsOf(target), ...rest];
      at = path.parse(target).root;
      continue;
    }
    const [next, ...others] = rest;
    if (next === undefined) return undefined;
    at = path.join(at, next);
    rest = others;
  }
}

/**
 * Requires that nobody else could have written a file or a folder of ours, or could put another in its place. What does
 * not exist is created later, in the nearest folder above it that exists.
 *
 * @param what it is, in words, and `remedy` the words before "that only …" in the error
 * @param uid a user who is trusted, too: the one that a server of ours runs as
 * @throws UsageError that names its path, its owner and mode, and what to do
 */
export async function requireTrusted(
  file: string,
  { kind, what, remedy, uid }: { kind: Kind; what: string; remedy: string; uid?: number | undefined },
): Promise<void> {
  const identity = ownIdentity();
  const why = await distrust(file, kind, identity && { ...identity, uid: uid ?? identity.uid }).catch(
    (error: NodeJS.ErrnoException) => {
      if (["ENOENT", "ENOTDIR", "EACCES"].includes(error.code ?? "")) return undefined;
      throw error;
    },
  );
  if (why === undefined) return;
  throw new UsageError(
    `${what} ${JSON.stringify(file)} is not used, because others could have written what is in it: ${why}. ` +
      `${remedy} that only this user or root owns and can write to, and all folders above it.`,
  );
}

function partsOf(absolute: string): string[] {
  return absolute
    .slice(path.parse(absolute).root.length)
    .split(path.sep)
    .filter((part) => part !== "");
}

/** What is wrong with one file or folder. @param isPassage whether it is only on the way to what is read */
export async function faultOf(entry: Entry, isPassage: boolean, identity: Identity): Promise<string | undefined> {
  const stranger = strangerOf(entry, isPassage, identity);
  if (stranger) return stranger;
  const { gid, mode } = entry;
  if (isPassage && mode & STICKY) return undefined;
  if (mode & OTHERS_MAY_WRITE) return `can be written by others (${described(entry)})`;
  if (mode & GROUP_MAY_WRITE && !(await identity.isPrivateGroup(gid)))
    return `can be written by group ${gid} (${described(entry)})`;
  return undefined;
}

function strangerOf(entry: Entry, isPassage: boolean, { uid, unmapped }: Identity): string | undefined {
  const isKnown = entry.uid === 0 || entry.uid === uid || (isPassage && entry.uid === unmapped);
  return isKnown ? undefined : `belongs to another user (${described(entry)})`;
}

function described({ uid, mode }: Entry): string {
  return `owner ${uid}, mode ${(mode & 0o7777).toString(8).padStart(4, "0")}`;
}

function ownIdentity(): Identity | undefined {
  const uid = process.geteuid?.();
  const primary = process.getegid?.();
  if (uid === undefined || primary === undefined) return undefined;
  return {
    uid,
    unmapped: unmappedUser(uidMap()),
    isPrivateGroup: async (gid) => {
      if (gid !== 0 && gid !== primary) return false;
      const [users, groups] = await Promise.all(["/etc/passwd", "/etc/group"].map(readTable));
      return isPrivateGroup(gid, uid, users ?? [], groups ?? []);
    },
  };
}

/** The table of this process's user namespace; "" where there are none. */
function uidMap(): string {
  try {
    return readFileSync("/proc/self/uid_map", "utf8");
  } catch {
    return "";
  }
}

/**
 * The user of files whose owner a user namespace does not have, as in sandboxes that map one user only.
 *
 * @param map lines of first user inside, first user outside, and length (user_namespaces(7))
 * @returns undefined where that number is a user of its own
 */
export function unmappedUser(map: string): number | undefined {
  const ranges = map.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const isMapped = ([first = 0, , length = 0]: number[]) => first <= OVERFLOW_USER && OVERFLOW_USER < first + length;
  return map.trim() === "" || ranges.some(isMapped) ? undefined : OVERFLOW_USER;
}

/**
 * Whether a group is root's, or only this user's, as distributions create one for each user. Where the tables do not
 * have the group or the user, because a directory service knows them, such a group is known by having the same number.
 *
 * @param users the lines of passwd(5), as fields
 * @param groups the lines of group(5)
 */
export function isPrivateGroup(gid: number, uid: number, users: string[][], groups: string[][]): boolean {
  if (gid === 0) return true;
  const own = users.find(([, , id]) => id === String(uid));
  const group = groups.find(([, , id]) => id === String(gid));
  if (!own || !group) return gid === uid;
  const members = (group[3] ?? "").split(",").filter((name) => name !== "");
  const primary = users.filter(([, , , id]) => id === String(gid)).map(([name]) => name);
  return [...members, ...primary].every((name) => name === own[0] || name === "root");
}

async function readTable(file: string): Promise<string[][]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").map((line) => line.trim().split(":"));
}
