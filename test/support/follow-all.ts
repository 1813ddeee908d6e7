import { follow } from "../../src/cluster/follow.ts";
import type { Cluster } from "../../src/cluster/port.ts";
import { testLog } from "./controller.ts";

/**
 * Follows Reports, and the Jobs of the default namespace, as the controller does.
 *
 * @param onEvent gets `<type> <name>` of each event
 * @returns a function that stops it
 */
export async function followAll(
  cluster: Cluster,
  onEvent: (event: string) => void = () => {},
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  for (const kind of ["Report", "Job"] as const) {
    const { promise: listed, resolve } = Promise.withResolvers<void>();
    running.push(
      follow(cluster, kind, stop.signal, {
        ...(kind === "Job" && { namespace: "default" }),
        log: testLog,
        onList: () => resolve(),
        onEvent: (type, { metadata }) => onEvent(`${type} ${metadata.name}`),
      }),
    );
    await listed;
  }
  return async () => {
    stop.abort();
    await Promise.all(running);
  };
}
