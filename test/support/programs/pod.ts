import { appendFileSync, existsSync } from "node:fs";
import { awaitJob, isPrestarted, takeEnvironment } from "../../../src/main/lifecycle/environment.ts";

/**
 * A child process for the job runner's tests: writes a line to the file LOG, then
 * does what its arguments say.
 *
 *     exit <code> | wait (until SIGTERM or the parent's end) | stubborn (ignores SIGTERM)
 *     | until <file> (exists, then exit 0) | fail-once <file>
 */
takeEnvironment();
const [what = "", ...given] = process.argv.slice(2);
const [argument = ""] = isPrestarted(given) ? awaitJob() : given;
const log = process.env.LOG ?? "/dev/null";
const note = (text: string) => appendFileSync(log, `${process.pid} ${text}\n`);

note(`start ${process.env.GREETING ?? ""}`);
process.stderr.write(`${JSON.stringify({ message: "hello", what })}\n`);
process.stdin.resume();
process.stdin.once("end", () => {
  note("parent gone");
  process.exit(1);
});
process.once("SIGTERM", () => {
  note("SIGTERM");
  if (what !== "stubborn") process.exit(1);
});

if (what === "exit") process.exit(Number(argument));
if (what === "fail-once") {
  if (existsSync(argument)) process.exit(0);
  appendFileSync(argument, "failed once");
  process.exit(1);
}
if (what === "until") {
  setInterval(() => {
    if (existsSync(argument)) process.exit(0);
  }, 10);
}
note("ready");
