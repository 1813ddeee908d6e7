import { isDeepStrictEqual } from "node:util";
import type { Attributes } from "../../api/documents.ts";
import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import { snakeCase } from "../../schema/api-names.ts";
import { rows } from "../../settings/index.ts";
import { formatNumber, texts } from "../texts/en.ts";

type Run = Attributes<"site">["runs"][number];

/** The settings by the names that people know, such as "maximum pages, device". @param names of the API's attributes */
export function settingNames(names: readonly string[]): string {
  return [...new Set(names.map((name) => texts.settings[name] ?? name))].join(", ");
}

/** These have a place of their own among the facts of a report. */
const shown: readonly string[] = [
  "startingUrl",
  "standard",
  "maxPages",
  ...checkKinds.map((kind) => manifestOf(kind).settings.perform),
];

/** What the settings of the report's series are that are not those of a report that says nothing, by their labels. */
export function ownSettings(report: Attributes<"report">): [label: string, value: string][] {
  const values: Readonly<Record<string, unknown>> = report;
  return rows.flatMap(({ name, setting: { series, schema, form } }): [string, string][] => {
    const attribute = snakeCase(name);
    const value = values[attribute];
    const isDefault = value === null || value === undefined || isDeepStrictEqual(value, schema.default);
    // Ids say nothing to people.
    if (!series || shown.includes(name) || form?.choices || isDefault) return [];
    const { label = settingNames([attribute]), labels = {} } = texts.fields[attribute] ?? {};
    return [[label, labels[String(value)] ?? settingText(value)]];
  });
}

function settingText(value: unknown): string {
  if (typeof value === "boolean") return texts.switches[value ? "on" : "off"];
  const parts = typeof value === "object" ? Object.values(value ?? {}) : [value];
  return parts.some((part) => typeof part === "object") ? formatNumber(parts.length) : parts.join(", ");
}

/**
 * The runs that make a trend: those with results of the whole site, and with the same settings.
 *
 * @param id of the run whose settings these are, or undefined for the newest one that has results
 */
export function seriesOf(runs: readonly Run[], id?: string): { runs: Run[]; others: Run[]; unfinished: Run[] } {
  const whole = runs.filter((run) => run.whole);
  const series = (runs.find(({ report_id }) => report_id === id) ?? whole.at(-1))?.series;
  return {
    runs: whole.filter((run) => run.series === series),
    others: whole.filter((run) => run.series !== series),
    unfinished: runs.filter((run) => !run.whole),
  };
}
