/**
 * Permission to keep a core of this machine busy. All checkers of a machine share its cores: if each started as many
 * workers as there are cores, results would take longer with each report, and memory would run out.
 */
export type CoreSlots = {
  /** Resolves with a function that gives the slot back. @throws the signal's reason */
  acquire(signal: AbortSignal): Promise<() => void>;
};

/** For a checker that has its cores to itself, as in a container: its own number of workers is the limit. */
export const ownCores: CoreSlots = { acquire: async () => () => {} };
