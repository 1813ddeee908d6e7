import type { Pod } from "../core-resources.ts";

/** A Secret of this machine. It is in memory only, and lost at a restart. */
export type LocalSecret = {
  /** The Job that owns the Secret; the operator's own Secrets have no owner. */
  owner?: { namespace: string; name: string; uid: string };
  data: Readonly<Record<string, string>>;
};

/** The running Jobs and the Secrets of this machine, shared by the job runner and the core resources. */
export type LocalNode = {
  /** The Jobs that the runner runs, by uid. */
  jobs: Map<string, { pods(): Pod[] }>;
  /** The Secrets by name. */
  secrets: Map<string, LocalSecret>;
};

/** @param secrets the operator's own Secrets, by name */
export function createNode(secrets: Readonly<Record<string, Record<string, string>>> = {}): LocalNode {
  return {
    jobs: new Map(),
    secrets: new Map(Object.entries(secrets).map(([name, data]) => [name, { data }])),
  };
}
