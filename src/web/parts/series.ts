import type { Attributes } from "../../api/documents.ts";
import { texts } from "../texts/en.ts";

type Run = Attributes<"site">["runs"][number];

/** The settings by the names that people know, such as "maximum pages, device". @param names of the API's attributes */
export function settingNames(names: readonly string[]): string {
  return [...new Set(names.map((name) => texts.settings[name] ?? name))].join(", ");
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
