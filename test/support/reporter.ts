import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import Mocha from "mocha";

/** Relative to the checkout. */
const FAILED = "build/failed-tests.txt";

/** Mocha's spec reporter, a closing line of numbers that a program can read, and a file of what failed, for the end of CI. */
export default class ClosingLine extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once("end", () => {
      const { passes, failures, pending } = this.stats;
      const skipped = pending > 0 ? `, ${pending} skipped` : "";
      console.log(`${passes} passed, ${failures} failed${skipped}`);
      rmSync(FAILED, { force: true });
      if (failures > 0) {
        mkdirSync("build", { recursive: true });
        writeFileSync(FAILED, this.failures.map((test) => `${test.fullTitle()}\n  ${firstLine(test.err)}\n`).join(""));
      }
      // A test that failed half way may have left a server open; one that passed may not, and would be noticed.
      if (failures > 0) setTimeout(() => process.exit(1), 5_000).unref();
    });
  }
}

const firstLine = (error?: Error) => error?.message.split("\n", 1)[0]?.slice(0, 200) ?? "";
