import { MAX_DETAIL, MAX_EXAMPLES, type NoticeGroup } from "../../domain/coverage/notices.ts";
import type { ExportedFinding } from "../../domain/export/exported.ts";
import { readTime } from "../../domain/findings/muting.ts";
import { plural } from "../../domain/plural.ts";
import type { Client } from "../client.ts";
import { type IgnoreEntry, mutingOf } from "./options/ignore-schema.ts";
import { readLines } from "./targets/read-lines.ts";

/** An entry of `ignore` with the muting that it became; without one when its end is in the past. */
type AppliedEntry = { entry: IgnoreEntry; mutingId: string | undefined };

/** What became of an entry of `ignore`. */
export type IgnoredBy = {
  entry: IgnoreEntry;
  state: "applied" | "matched_nothing" | "expired" | "not_judged";
  /** How many elements it silences. Of several entries that match an element, the first one counts. */
  findings: number;
};

/** Creates a muting for each entry whose end is not over. */
export async function createMutings(
  client: Client,
  entries: readonly IgnoreEntry[],
  now: number,
): Promise<AppliedEntry[]> {
  const applied: AppliedEntry[] = [];
  for (const entry of entries) {
    const muting = mutingOf(entry);
    const end = readTime(muting.expires_at ?? null);
    const isOver = end !== null && end.getTime() <= now;
    // One after the other: of several mutings that match, the oldest silences.
    const mutingId = isOver ? undefined : (await client.post<"muting">("/mutings", muting)).data.id;
    applied.push({ entry, mutingId });
  }
  return applied;
}

/** Counts what each entry silenced in a report. @param isJudged whether any page was checked, so that one could match */
export async function countIgnored(
  client: Client,
  reportId: string,
  entries: readonly AppliedEntry[],
  isJudged: boolean,
): Promise<IgnoredBy[]> {
  const counts = new Map<string, number>();
  if (entries.some(({ mutingId }) => mutingId !== undefined)) {
    const muted = client.text(`/reports/${reportId}/export.ndjson?filter[muted]=true`);
    for await (const { muting, how_many } of readLines<ExportedFinding>(muted))
      if (muting) counts.set(muting.id, (counts.get(muting.id) ?? 0) + how_many);
  }
  return entries.map(({ entry, mutingId }) => {
    if (mutingId === undefined) return { entry, state: "expired", findings: 0 };
    if (!isJudged) return { entry, state: "not_judged", findings: 0 };
    const findings = counts.get(mutingId) ?? 0;
    return { entry, state: findings > 0 ? "applied" : "matched_nothing", findings };
  });
}

/** How much is ignored, in words; undefined when nothing is. */
export function ignoredText(ignored: readonly IgnoredBy[]): string | undefined {
  const applied = ignored.filter(({ state }) => state === "applied");
  if (applied.length === 0) return undefined;
  const entries = applied.length === 1 ? "1 entry" : `${applied.length} entries`;
  return `${plural(sumOf(ignored), "finding")} ignored by ${entries}`;
}

/** The entries that ignore nothing, as a note of the report's coverage; undefined if there are none. */
export function unusedNote(ignored: readonly IgnoredBy[]): NoticeGroup | undefined {
  const unused = ignored.filter(({ state }) => state === "matched_nothing" || state === "expired");
  if (unused.length === 0) return undefined;
  const examples = unused.slice(0, MAX_EXAMPLES).map(({ entry, state }) => ({
    url: "",
    detail: `${criteriaText(entry)}${state === "expired" ? ` (until ${entry.expires_at})` : ""}`.slice(0, MAX_DETAIL),
  }));
  const howMany = unused.length;
  return { code: "ignore_matched_nothing", how_many: howMany, num_urls: howMany, more: false, examples };
}

/** What an entry matches: `rule image-alt, selector .ads`. */
export function criteriaText({ comment: _, reason: __, expires_at: ___, ...criteria }: IgnoreEntry): string {
  return Object.entries(criteria)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

/** As a member of the document of `--json`. */
export function ignoredDocument(ignored: readonly IgnoredBy[]): object {
  const entries = ignored.map(({ entry, state, findings }) => ({ ...entry, state, findings }));
  return { findings: sumOf(ignored), entries };
}

function sumOf(ignored: readonly IgnoredBy[]): number {
  return ignored.reduce((sum, { findings }) => sum + findings, 0);
}
