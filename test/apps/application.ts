import type { Door } from "./door.ts";
import type { Harmless } from "./harmless.ts";
import type { Processes } from "./processes.ts";
import type { Tables } from "./rows.ts";

/** Where one run of an application lives: everything in it is new, and gone afterwards. */
export type Place = {
  /** An empty folder. */
  folder: string;
  /** The port of 127.0.0.1 on which the application has to listen. */
  port: number;
  /** The address under which it is visited: the door before it, which keeps a list of all requests. */
  url: string;
  door: Door;
  processes: Processes;
};

/** An application that runs and has its data. */
export type Started = {
  /** All rows of all tables as they are now; empty where it keeps files only. */
  tables(): Promise<Tables>;
  /** Folders whose files are compared. */
  folders: readonly string[];
};

/** Somebody who signs in. */
export type Role = {
  /** Where the check begins: paths. */
  from: readonly string[];
  /** The steps of the sign-in file; a path in `url` is one of the application. */
  steps: readonly object[];
  /** How a page shows that somebody is signed in. */
  signedInWhen?: object;
  /** Whether nothing that this account may open by links changes anything: any change at all is news. */
  mayOnlyRead?: boolean;
};

export type Application = {
  name: string;
  /** Installs what is missing. @returns the version, as people name it */
  install(): Promise<string>;
  /** Starts it with fresh data that can be harmed. */
  start(place: Place): Promise<Started>;
  roles: Readonly<Record<string, Role>>;
  /** Named changes that opening pages makes, and that nobody minds. */
  harmless: readonly Harmless[];
  /** Addresses (path and query) that only ask before something is done: they are counted apart. */
  asks?: readonly RegExp[];
  /** Addresses (path and query) that do something when they are opened. All others only read. */
  acts: readonly RegExp[];
  /** Further options of the check. */
  options?: readonly string[];
  /** A state for `--states`: a glob, and steps that change nothing. */
  state: { url: string; steps: readonly object[] };
};
