import { createCoreSlots } from "../../../src/cluster/local/core-slots.ts";
import { startPod } from "../../../src/cluster/local/pod.ts";

/** Starts one pod that waits, as a service would, in order to be killed: `pod-host.ts <program>`. */
const pod = startPod({
  command: (args) => ({ file: process.execPath, args }),
  args: [process.argv[2] ?? "", "wait"],
  env: {},
  variables: { LOG: process.env.LOG ?? "" },
  graceMs: 1_000,
  onLine: () => {},
  cores: createCoreSlots(1),
});
await pod.exited;
