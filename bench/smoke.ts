/**
 * A smoke run looks for wrong results alone: few pages, one round each, so that all benchmarks together take less than
 * two minutes. Its ratios say nothing.
 */
export const isSmoke = process.env.BENCH_SMOKE === "1";

/** How often something is measured: once in a smoke run. */
export function rounds(usual: number): number {
  return isSmoke ? 1 : usual;
}
