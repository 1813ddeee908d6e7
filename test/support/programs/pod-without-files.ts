import { closeSync, openSync } from "node:fs";
import { createCoreSlots } from "../../../src/cluster/local/core-slots.ts";
import { startPod } from "../../../src/cluster/local/pod.ts";

/** Starts a pod while this process can open no more files (EMFILE), and writes how it ended. Run it with a low `ulimit -n`. */
const open: number[] = [];
try {
  for (;;) open.push(openSync("/dev/null", "r"));
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== "EMFILE") throw error;
}
const pod = startPod({
  command: (args) => ({ file: process.execPath, args }),
  args: ["--version"],
  env: {},
  variables: {},
  graceMs: 1_000,
  onLine: () => {},
  cores: createCoreSlots(1),
});
pod.stop();
for (const descriptor of open) closeSync(descriptor);
process.stdout.write(JSON.stringify(await pod.exited));
