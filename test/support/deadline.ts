import { MAX_CLOCK_FACTOR } from "../../src/time/clock-limit.ts";

/** What is said of a page that met its deadline: of CPU time, or of the clock where the machine is busy with other tests. */
export function deadlineOf(engine: string, seconds: number): RegExp {
  const byClock = `${seconds * MAX_CLOCK_FACTOR} seconds by the clock: `;
  return new RegExp(`^${engine} did not finish within (${seconds} seconds of CPU time\\.$|${byClock})`);
}
