import { Resolver } from "node:dns/promises";

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Whether the resolver of this machine knows the names of the internet: it is asked who serves `com`. */
export async function resolvesNames(): Promise<boolean> {
  try {
    return (await new Resolver({ timeout: TIMEOUT_MS, tries: TRIES }).resolveNs("com")).length > 0;
  } catch {
    return false;
  }
}
