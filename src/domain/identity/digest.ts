import { createHash } from "node:crypto";

const LENGTH = 20;

/** 20 characters (0-9, a-f), 80 bits: no two of a million findings are likely to share one. */
export function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, LENGTH);
}
