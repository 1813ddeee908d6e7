import { visible } from "html-conformance/log-text";
import type { Attributes } from "../../../api/documents.ts";
import type { StateTotals } from "../../../domain/findings/finding-state.ts";
import { plural } from "../../../domain/plural.ts";
import { cut, oneLine, styled, type Terminal, wrap } from "../../terminal.ts";

type Fixed = { attributes: Pick<Attributes<"finding">, "rule" | "url" | "element"> };

/** How a report compares with its baseline, and some of what is fixed. */
export type BaselineResult = { file: string; states: StateTotals; fixed: readonly Fixed[] };

/** How many fixed findings are named. */
export const MAX_FIXED_SHOWN = 10;

/** The fixed findings, and how many are known, new and fixed. */
export function baselineText(
  { file, states, fixed }: BaselineResult,
  terminal: Terminal,
  place: (url: string) => string,
): string[] {
  const count = ({ errors, warnings }: StateTotals[keyof StateTotals]) => errors + warnings;
  const lines = fixed.slice(0, MAX_FIXED_SHOWN).map(({ attributes: { rule, url, element } }) => {
    const what = [visible(rule ?? ""), visible(place(url)), ...(element?.extract ? [oneLine(element.extract)] : [])];
    return `${styled(terminal, "passed", "fixed")}  ${cut(what.join("  "), terminal, "fixed  ".length)}`;
  });
  const [total, gone] = [count(states.fixed), count(states.gone)];
  if (total > lines.length && lines.length > 0)
    lines.push(`       and ${plural(total - lines.length, "more fixed finding")}`);
  const parts = [
    `${count(states.persisting)} known`,
    `${count(states.new)} new`,
    `${total} fixed`,
    ...(gone === 0 ? [] : [`${gone} gone with their pages`]),
  ];
  const later = count(states.new_rule);
  const notes =
    later === 0
      ? []
      : [
          `${plural(later, "finding")} of rules or checks that the baseline does not have: --update-baseline adds them.`,
        ];
  const summary = [`Baseline ${visible(file)}: ${parts.join(", ")}`, ...notes];
  return [...(lines.length > 0 ? [...lines, ""] : []), ...summary.flatMap((line) => wrap(line, terminal, 0)), ""];
}
