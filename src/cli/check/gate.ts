import { type GateResult, gateConditions, gateReasons } from "../../domain/findings/gate.ts";
import { table } from "../table.ts";

/** What was counted for each condition of the gate. */
export function gateTable(results: readonly GateResult[]): string {
  const rows = results.map(({ condition, limit, counted, passed, reason }) => {
    const why = reason === null ? "" : `: ${gateReasons[reason]}`;
    const result = `${passed === null ? "not judged" : passed ? "passed" : "failed"}${why}`;
    return {
      cells: [gateConditions[condition], String(limit), counted === null ? "-" : String(counted), result],
      details: [],
    };
  });
  return table(["LIMIT ON", "AT MOST", "COUNTED", "RESULT"], rows, { right: [1, 2] });
}

/** Tells the user which limits were not judged, because they need an earlier run; undefined when all were judged. */
export function notJudged(results: readonly GateResult[]): string | undefined {
  const options = results.filter(({ reason }) => reason === "no_base").map(({ condition }) => optionOf(condition));
  if (options.length === 0) return undefined;
  return (
    `${options.join(" and ")} could not be judged: there is no baseline to compare with. ` +
    "Add --baseline <file>, or use the service (docs/api.md, gate and schedules)."
  );
}

function optionOf(condition: GateResult["condition"]): string {
  return `--${condition.replaceAll("_", "-")}`;
}
