import { appendFileSync } from "node:fs";

/** What a row of docs/performance.md is compared with: a ratio, and whether it is a minimum or a maximum. */
export type Target = { atLeast: number } | { atMost: number };

/** One measured ratio, as docs/performance.json has it. */
export type Result = {
  /** Its place in the table, such as "3". */
  row: string;
  /** What was measured, and what it is compared with. */
  measure: string;
  against: string;
  ratio: number;
  target: Target;
  /** What the ratio is made of, by name, with units in the names. */
  figures: Record<string, number>;
};

/** Prints a result, and adds it to the file of results that `npm run bench` collects. */
export function record(result: Result): void {
  const { row, measure, against, ratio } = result;
  const verdict = holds(result) ? "holds" : "falls short of";
  for (const [name, figure] of Object.entries(result.figures)) console.log(`${shown(figure).padStart(12)} ${name}`);
  console.log(`[${row}] ${measure}: ratio ${ratio.toFixed(2)} to ${against}, ${verdict} ${targetText(result.target)}`);
  if (process.env.BENCH_RESULTS) appendFileSync(process.env.BENCH_RESULTS, `${JSON.stringify(result)}\n`);
}

/** Three digits, or all before the point. */
export function shown(figure: number): string {
  return figure >= 100 ? Math.round(figure).toLocaleString("en") : String(Number(figure.toPrecision(3)));
}

export function holds({ ratio, target }: Pick<Result, "ratio" | "target">): boolean {
  return "atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

export function targetText(target: Target): string {
  return "atLeast" in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
}
