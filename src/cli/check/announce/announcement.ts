import { shownText, stepAddress } from "../../../domain/addresses/shown-address.ts";
import { exitCodes } from "../../../domain/errors.ts";
import { badgeText } from "../../../domain/export/badge.ts";
import { plural } from "../../../domain/plural.ts";
import type { CheckedReport, Verdict } from "../verdict.ts";
import type { State } from "./forge.ts";

/** What is announced: how it went, in a line, and the summary as Markdown. */
export type Announcement = { state: State; target: string; description: string; markdown: string };

/**
 * What is said of a check to everybody who reads the pull request, so without what gives access to what was checked.
 *
 * @param verdict its exit code is that of the command
 * @param summary.reason a text as it names what was checked, such as files of a folder
 */
export function announcementOf(
  report: CheckedReport,
  { stopped, exitCode }: Verdict,
  { targets, markdown, reason }: { targets: readonly string[]; markdown: string; reason: (text: string) => string },
): Announcement {
  const passed = exitCode === exitCodes.ok;
  const [first = "", ...others] = targets;
  const name = stepAddress(first)
    .replace(/^https?:\/\//, "")
    .replace(/\/$/, "");
  // A query of a target may open a preview, whatever its name.
  const queries = targets.flatMap((target) => URL.parse(target)?.search || []);
  const shown = (text: string) => shownText(queries.reduce((all, query) => all.replaceAll(query, "?…"), text));
  return {
    state: stopped ? "stopped" : passed ? "passed" : "failed",
    target: others.length === 0 ? name : `${name} and ${others.length} more`,
    description: shown(reason(stopped ?? found(report, passed))),
    markdown: shown(markdown),
  };
}

/** As a badge says it; with a baseline, what is new and fixed. */
function found({ checks, comparison, coverage }: CheckedReport, passed: boolean): string {
  const complete = coverage?.complete !== false;
  if (comparison) {
    const count = ({ errors, warnings }: { errors: number; warnings: number }) => errors + warnings;
    const { new: isNew, fixed } = comparison.states;
    return `${plural(count(isNew), "new finding")}, ${count(fixed)} fixed${complete ? "" : ", incomplete"}`;
  }
  const errors = Object.values(checks).reduce((sum, check) => sum + (check?.issues.errors ?? 0), 0);
  return badgeText({ state: "ended", errors, passed, complete }).text;
}
