import { type CheckKind, checkKinds } from "./findings.ts";
import { addTally, emptyTally, type Tally, tallyFields } from "./tally.ts";

/**
 * How many of a report's checks of one kind wait or run, and have ended how, with the sums of what they found. `reused` are those
 * of the checked ones whose outcome is an earlier report's.
 */
export type CheckCounts = Tally & { pending: number; checked: number; failed: number; reused: number };

/** The counts of each kind; zeros for a kind that the report does not perform. */
export type CountsByKind = Record<CheckKind, CheckCounts>;

export const countFields = ["pending", "checked", "failed", "reused", ...tallyFields] as const;
export type CountField = (typeof countFields)[number];

/** An object with one value for each kind of check. */
export function byKind<Value>(of: (kind: CheckKind) => Value): Record<CheckKind, Value> {
  return Object.fromEntries(checkKinds.map((kind) => [kind, of(kind)])) as Record<CheckKind, Value>;
}

/** The counts of a report of which nothing was checked yet. */
export function noCounts(): CountsByKind {
  return byKind(() => ({ pending: 0, checked: 0, failed: 0, reused: 0, ...emptyTally() }));
}

/** The sum of one count over all kinds. */
export function sumOf<Field extends CountField>(
  counts: Record<CheckKind, Record<Field, number>>,
  field: Field,
): number {
  return checkKinds.reduce((sum, kind) => sum + counts[kind][field], 0);
}

export type CheckStatus = "queued" | "leased" | "checked" | "failed";

/** A report's counter for a check in a status. */
const counterOf = {
  queued: "pending",
  leased: "pending",
  checked: "checked",
  failed: "failed",
} as const satisfies Record<CheckStatus, CountField>;

/** What is added to a report's counts, by kind. */
export type CountChanges = Partial<Record<CheckKind, Partial<CheckCounts>>>;

type CountedCheck = { kind: CheckKind; status: CheckStatus; reused: boolean };

/** Whether a check waits or runs. */
export function isPending({ status }: Pick<CountedCheck, "status">): boolean {
  return counterOf[status] === "pending";
}

/** A check that ends, perhaps again: its findings replace those of the run before. */
export type EndedCheck = { verdict: { tally: Tally; failure?: unknown }; before: Tally; reused: boolean };

/** What changes in the counts of a kind when checks of it end. */
export function changeByEnd(ended: readonly EndedCheck[]): CheckCounts {
  const change = emptyTally();
  for (const { verdict, before } of ended) {
    addTally(change, verdict.tally);
    addTally(change, before, -1);
  }
  const failed = ended.filter(({ verdict }) => verdict.failure).length;
  const reused = ended.filter((one) => one.reused).length;
  return { ...change, pending: -ended.length, checked: ended.length - failed, failed, reused };
}

/** What changes when checks of a page that have ended are queued again. Their findings count until they are replaced. */
export function changeByRequeue(checks: readonly CountedCheck[]): CountChanges {
  return Object.fromEntries(
    checks.map(({ kind, status, reused }) => [
      kind,
      { [counterOf[status]]: -1, pending: 1, ...(reused && { reused: -1 }) },
    ]),
  );
}

/** What changes when checks of a page are removed with all that they found. */
export function changeByRemoval(checks: readonly (CountedCheck & Tally)[]): CountChanges {
  return Object.fromEntries(
    checks.map((check) => {
      const change = emptyTally();
      addTally(change, check, -1);
      return [check.kind, { ...change, [counterOf[check.status]]: -1, ...(check.reused && { reused: -1 }) }];
    }),
  );
}
