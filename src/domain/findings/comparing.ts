import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import { rows, type SettingName } from "../../settings/index.ts";
import { inOrder } from "../../settings/setting.ts";

/**
 * Settings that decide what is visited, what is found there and what of it counts. Reports that agree in all of them are a
 * series: only these are compared automatically, and only these are a trend.
 */
export const settingsOfSeries: readonly SettingName[] = [
  ...new Set([
    ...checkKinds.flatMap((kind) => {
      const { perform, engine, incomplete, depth } = manifestOf(kind).settings;
      return [perform, engine, incomplete, depth].filter((name) => name !== undefined);
    }),
    ...inOrder(rows.flatMap(({ name, setting: { series, seriesAfter: after } }) => (series ? [{ name, after }] : []))),
  ]),
];

/** Comparisons of a report that are kept beside its own: each has a row for every finding, which no limit counts. */
export const MAX_ON_REQUEST = 3;

/** How many findings, or pages, two reports may have together to be compared while a client waits: a second or two. */
export const COMPARED_AT_ONCE = 50_000;

/** How many comparisons of one account may wait or be made, and how many of these its guests may have asked for. */
export const MAX_REQUESTS = 10;
export const MAX_OF_GUESTS = 5;

/** Whether an account, or a guest of it, may ask for one more comparison. */
export function mayRequest(waiting: { total: number; ofGuests: number }, byGuest: boolean): boolean {
  return waiting.total < MAX_REQUESTS && (!byGuest || waiting.ofGuests < MAX_OF_GUESTS);
}
