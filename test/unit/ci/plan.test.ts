import { existsSync, globSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
  END_MINUTES,
  LAST_START_MINUTES,
  limitOf,
  obstacle,
  order,
  type Ran,
  type Step,
  slowness,
} from "../../../.ci/plan.js";
import { steps } from "../../../.ci/steps.js";
import { GROUPS } from "../../e2e/groups.ts";

const step = (name: string, more: Partial<Step> = {}): Step => ({
  name,
  command: name,
  minutes: 1,
  paths: [name],
  ...more,
});
const table = [
  step("tests", { always: true, paths: ["."] }),
  step("wide", { paths: ["src"] }),
  step("narrow", { paths: ["src/net", "a.json"] }),
  step("bench", { minutes: 2 }),
  step("fuzz", { minutes: 2 }),
  step("audit", { minutes: 0.1 }),
];
const files = ["src/net/a.ts", "src/web/b.ts", "src/web/c.ts", "a.json", "bench/d.ts", "fuzz/e.ts"];
const names = (changed: string[], more: { day?: string; all?: boolean } = {}) =>
  order(table, { changed, files, day: "2026-11-29", ...more }).map(
    ({ step: { name }, reason }) => `${name}: ${reason}`,
  );

describe("The order of CI's steps", () => {
  it("is what always runs, what has changed, the narrowest first, and then the others", () => {
    const order = names(["src/net/a.ts"]);
    expect(order.slice(0, 3)).to.deep.equal(["tests: always", "narrow: changed", "wide: changed"]);
    expect(order.slice(3)).to.have.members(["bench: in turn", "fuzz: in turn", "audit: in turn"]);
  });

  it("knows what has changed by files and by folders, not by beginnings of names", () => {
    expect(names(["a.json"])[1]).to.equal("narrow: changed");
    expect(names(["src/network.ts"])[1]).to.equal("wide: changed");
    expect(names(["a.json5", "src2/a.ts"]).filter((name) => name.endsWith(": changed"))).to.deep.equal([]);
  });

  it("has all steps as changed where git cannot tell", () => {
    expect(names(["."]).filter((name) => name.endsWith(": changed"))).to.have.length(5);
  });

  it("is that of the table where all are asked for", () => {
    expect(names([], { all: true })).to.deep.equal(table.map(({ name }) => `${name}: asked for`));
  });

  it("begins with another step on each day, if nothing has changed; short ones have a turn together", () => {
    const days = ["2026-11-29", "2026-11-30", "2026-12-01"].map((day) => names([], { day }).slice(1));
    expect(new Set(days.map(([first]) => first)).size).to.equal(3);
    for (const order of days) {
      expect(order).to.have.length(5);
      const at = ["wide", "narrow", "audit"].map((name) => order.indexOf(`${name}: in turn`));
      expect(at.map((place) => place - (at[0] ?? 0))).to.deep.equal([0, 1, 2]);
    }
    expect(names([], { day: "2026-11-29" }).slice(1), "and the same all day").to.deep.equal(days[0]);
  });
});

describe("A step of CI", () => {
  const ran = (minutes: number, expected: number, name = "tests"): Ran => ({ name, minutes, expected });
  const inTurn = (more: Partial<Step> = {}) => ({ step: step("bench", more), reason: "in turn" }) as const;
  const given = { minute: 10, ran: [], lacking: [] };

  it("starts as long as it is early", () => {
    expect(obstacle(inTurn(), given)).to.equal(undefined);
    expect(obstacle(inTurn(), { ...given, minute: LAST_START_MINUTES })).to.equal(undefined);
    expect(obstacle(inTurn(), { ...given, minute: LAST_START_MINUTES + 0.1 })).to.match(/none starts after minute 45/);
  });

  it("does not start where it would end late, on this machine", () => {
    const late = { ...given, minute: 44 };
    expect(obstacle(inTurn({ minutes: 16 }), late)).to.equal(undefined);
    expect(obstacle(inTurn({ minutes: 16.1 }), late)).to.match(/its 17 minutes would pass minute 60/);
    expect(obstacle(inTurn({ minutes: 8 }), { ...late, ran: [ran(22, 10)] })).to.match(/its 18 minutes/);
    expect(obstacle(inTurn({ minutes: 16 }), { ...late, ran: [ran(5, 10)] }), "a fast one").to.equal(undefined);
  });

  it("starts whenever it is, if it always runs or is asked for", () => {
    for (const reason of ["always", "asked for"] as const)
      expect(obstacle({ step: step("tests", { minutes: 30 }), reason }, { ...given, minute: 50 })).to.equal(undefined);
  });

  it("does not start where the machine lacks what it needs, and says what", () => {
    const needs = inTurn({ needs: ["java", "cluster"] });
    expect(obstacle(needs, { ...given, lacking: ["java", "cluster", "chart"] })).to.match(/no java, no cluster$/);
    expect(obstacle(needs, { ...given, lacking: ["chart"] })).to.equal(undefined);
  });

  it("hangs after four times its minutes, on this machine", () => {
    expect(limitOf(inTurn({ minutes: 3 }), { minute: 10, ran: [] })).to.include({ minutes: 12, isFailure: true });
    expect(limitOf(inTurn({ minutes: 3 }), { minute: 10, ran: [ran(20, 10)] })).to.include({ minutes: 24 });
    expect(limitOf(inTurn({ minutes: 0.1 }), { minute: 10, ran: [] })).to.include({ minutes: 1 });
  });

  it("is cut off before nobody waits any more, which is no failure, unless it always runs", () => {
    const late = { minute: 75, ran: [] };
    expect(limitOf(inTurn({ minutes: 3 }), late)).to.include({ minutes: 10, isFailure: false });
    const always = { step: step("tests", { minutes: 3 }), reason: "always" } as const;
    expect(limitOf(always, late)).to.include({ minutes: 12, isFailure: true });
  });

  it("takes longer where the steps before it did, all together", () => {
    expect(slowness([])).to.equal(1);
    expect(slowness([ran(3, 1), ran(9, 5)])).to.equal(2);
  });
});

describe("CI's table of steps", () => {
  /** The steps that run on a day on which nothing has changed, on a machine that takes `factor` times as long. */
  function runOn(day: string, factor: number): { names: string[]; minute: number } {
    let minute = 0;
    const ran: Ran[] = [];
    for (const planned of order(steps, { changed: [], files: [], day })) {
      if (obstacle(planned, { minute, ran, lacking: [] }) !== undefined) continue;
      const { name, minutes } = planned.step;
      minute += minutes * factor;
      ran.push({ name, minutes: minutes * factor, expected: minutes });
    }
    return { names: ran.map(({ name }) => name), minute };
  }

  it("has each group of tests on a cluster, and these have each of its files", () => {
    const files = globSync("test/e2e/*.test.ts").map((file) => path.basename(file, ".test.ts"));
    expect([...new Set(Object.values(GROUPS).flat())]).to.have.members(files);
    const commands = steps.map(({ command }) => command);
    for (const group of Object.keys(GROUPS)) expect(commands).to.include(`npm run test:e2e -- ${group}`);
  });

  it("names each step once, and depends on files that are there", () => {
    expect(new Set(steps.map(({ name }) => name)).size).to.equal(steps.length);
    for (const { name, paths } of steps)
      for (const one of paths) expect(existsSync(one), `${one} of ${name}`).to.equal(true);
  });

  it("is covered by any three days, and ends within the hour, also on a slow machine", () => {
    for (const [factor, days] of [
      [1, 3],
      [2.2, 21],
    ] as const)
      for (const first of [20_000, 20_001, 20_002]) {
        const seen = new Set<string>();
        for (let day = first; day < first + days; day += 1) {
          const { names, minute } = runOn(new Date(day * 86_400_000).toISOString().slice(0, 10), factor);
          for (const name of names) seen.add(name);
          expect(minute).to.be.at.most(END_MINUTES);
        }
        const missing = steps.filter(({ name }) => !seen.has(name)).map(({ name }) => name);
        expect(missing, `${days} days from ${first}, ${factor} times as slow`).to.deep.equal([]);
      }
  });
});
