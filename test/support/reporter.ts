import Mocha from "mocha";

/** Mocha's spec reporter, and a closing line of numbers that a program can read. */
export default class ClosingLine extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once("end", () => {
      const { passes, failures, pending } = this.stats;
      const skipped = pending > 0 ? `, ${pending} skipped` : "";
      console.log(`${passes} passed, ${failures} failed${skipped}`);
      // A test that failed half way may have left a server open; one that passed may not, and would be noticed.
      if (failures > 0) setTimeout(() => process.exit(1), 5_000).unref();
    });
  }
}
