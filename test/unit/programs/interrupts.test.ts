import { expect } from "chai";
import { exitOnSecondInterrupt } from "../../../src/main/lifecycle/interrupts.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

describe("a program that is interrupted", () => {
  const { exit, kill } = process;
  const { now } = performance;
  let time: number;
  let done: string[];
  let added: { name: (typeof SIGNALS)[number]; listener: () => void }[];
  const interrupt = (signal: (typeof SIGNALS)[number]) => {
    for (const { name, listener } of added) if (name === signal) listener();
  };

  beforeEach(() => {
    time = 50_000;
    done = [];
    const before = SIGNALS.flatMap((name) => process.listeners(name));
    exitOnSecondInterrupt();
    added = SIGNALS.flatMap((name) =>
      process
        .listeners(name)
        .filter((listener) => !before.includes(listener))
        .map((listener) => ({ name, listener: listener as () => void })),
    );
    performance.now = () => time;
    process.exit = ((code: number) => done.push(`exit ${code}`)) as unknown as typeof exit;
    process.kill = (_pid, signal) => {
      done.push(`${signal}`);
      return true;
    };
  });
  afterEach(() => {
    Object.assign(process, { exit, kill });
    performance.now = now;
    for (const { name, listener } of added) process.off(name, listener);
  });

  for (const [first, second] of [
    ["SIGINT", "SIGINT"],
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
  ] as const)
    it(`ends at once by ${second} a while after ${first}, and not by what one key sends twice`, () => {
      interrupt(first);
      time += 1_000;
      interrupt(second);
      expect(done).to.deep.equal([]);
      time += 1;
      interrupt(second);
      expect(done).to.deep.equal(["exit 130"]);
    });

  it("ends in order when its terminal is closed", () => {
    interrupt("SIGHUP");
    expect(done).to.deep.equal(["SIGTERM"]);
  });
});
