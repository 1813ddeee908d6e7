import type { Change, ChangeKind } from "./rows.ts";

/** A change that opening pages makes, and that nobody minds: a session, a counter, a cache. */
export type Harmless = {
  /** The table's or file's name, or what it matches. */
  of: string | RegExp;
  /** All kinds of change unless given. */
  kinds?: readonly ChangeKind[];
  /** Of a row that changed: no other column may have changed. */
  columns?: readonly string[];
  /** Which rows: it sees the row as it is, or was. */
  row?: (row: Readonly<Record<string, unknown>>) => boolean;
  /** What it is, in a few words. */
  why: string;
};

/** @returns why nobody minds a change; undefined if somebody would */
export function whyHarmless(change: Change, list: readonly Harmless[]): string | undefined {
  return list.find((one) => isMeant(change, one))?.why;
}

function isMeant({ of: name, kind, columns, row }: Change, one: Harmless): boolean {
  if (typeof one.of === "string" ? one.of !== name : !one.of.test(name)) return false;
  if (one.kinds && !one.kinds.includes(kind)) return false;
  if (one.columns && (kind !== "changed" || columns.some((column) => !one.columns?.includes(column)))) return false;
  return one.row === undefined || one.row(row);
}
