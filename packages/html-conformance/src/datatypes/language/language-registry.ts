import { createRequire } from "node:module";

/** A record of the IANA Language Subtag Registry about a subtag or a whole tag; names are in lower case. */
export type SubtagRecord = {
  deprecated: boolean;
  /** What to write instead of it. */
  preferred?: string | undefined;
  /** The tags that it may follow. */
  prefixes: readonly string[];
  /** The script that need not be written. */
  suppressedScript?: string | undefined;
};

export type SubtagKind = "language" | "extlang" | "script" | "region" | "variant" | "grandfathered" | "redundant";

type Entry = {
  Type: SubtagKind;
  Subtag?: string;
  Tag?: string;
  Deprecated?: string;
  "Preferred-Value"?: string;
  Prefix?: string[];
  "Suppress-Script"?: string;
};

/** The registry's ranges for private use, which it writes with two dots. */
const PRIVATE: Partial<Record<SubtagKind, RegExp>> = {
  language: /^q[a-t][a-z]$/,
  script: /^qa(?:a[a-z]|b[a-x])$/,
  region: /^(?:q[m-z]|x[a-z])$/,
};
const PRIVATE_RECORD: SubtagRecord = { deprecated: false, prefixes: [] };

let records: Map<string, SubtagRecord> | undefined;

/** Looks up a subtag or a whole tag in lower case; undefined if unregistered. The first call reads the registry. */
export function registered(kind: SubtagKind, subtag: string): SubtagRecord | undefined {
  records ??= readRegistry();
  return records.get(`${kind} ${subtag}`) ?? (PRIVATE[kind]?.test(subtag) ? PRIVATE_RECORD : undefined);
}

function readRegistry(): Map<string, SubtagRecord> {
  const require = createRequire(import.meta.url);
  const entries: readonly Entry[] = require("language-subtag-registry/data/json/registry.json");
  const found = new Map<string, SubtagRecord>();
  for (const entry of entries) {
    const name = (entry.Subtag ?? entry.Tag ?? "").toLowerCase();
    found.set(`${entry.Type} ${name}`, {
      deprecated: entry.Deprecated !== undefined,
      preferred: entry["Preferred-Value"],
      prefixes: (entry.Prefix ?? []).map((prefix) => prefix.toLowerCase()),
      suppressedScript: entry["Suppress-Script"]?.toLowerCase(),
    });
  }
  return found;
}
