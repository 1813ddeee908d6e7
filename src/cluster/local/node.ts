import type { Pod } from "../core-resources.ts";

/** A Secret of this machine. It is in memory only, and lost at a restart. */
type LocalSecret = {
  /** The Job that it goes with; one of the operator's own has none. */
  owner?: { namespace: string; name: string; uid: string };
  data: Readonly<Record<string, string>>;
};

/** What this machine runs and keeps for its Jobs: shared by the job runner and those who look at it. */
export type LocalNode = {
  /** The Jobs that the runner works on, by uid. */
  jobs: Map<string, { pods(): Pod[] }>;
  /** By name. */
  secrets: Map<string, LocalSecret>;
};

/** @param secrets the operator's own, by name */
export function createNode(secrets: Readonly<Record<string, Record<string, string>>> = {}): LocalNode {
  return {
    jobs: new Map(),
    secrets: new Map(Object.entries(secrets).map(([name, data]) => [name, { data }])),
  };
}
