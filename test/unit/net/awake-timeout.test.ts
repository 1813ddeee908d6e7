import { expect } from "chai";
import { awakeTimeout, type Clock } from "../../../src/net/awake-timeout.ts";

/** A clock whose timers fire when they are told to, however late. */
function steppedClock() {
  let time = 0;
  let due: { call: () => void; at: number } | undefined;
  const clock = {
    now: () => time,
    setTimeout: ((call: () => void, ms: number) => {
      due = { call, at: time + ms };
    }) as unknown as Clock["setTimeout"],
  };
  /** Fires the next timer, so many milliseconds too late. */
  const fire = (late = 0): void => {
    time = (due?.at ?? time) + late;
    due?.call();
  };
  return { clock, fire };
}

describe("a timeout of a process that may stand still", () => {
  it("is over after its time", () => {
    const { clock, fire } = steppedClock();
    let over = false;
    awakeTimeout(2_500, () => (over = true), clock);
    fire();
    fire();
    expect([over, clock.now()]).to.deep.equal([false, 2_000]);
    fire();
    expect([over, clock.now()]).to.deep.equal([true, 2_500]);
  });

  it("counts a pause as one step, and gives another one after a pause at its end", () => {
    const { clock, fire } = steppedClock();
    let over = false;
    awakeTimeout(2_000, () => (over = true), clock);
    fire(40_000);
    expect(over).to.equal(false);
    fire(40_000);
    expect(over).to.equal(false);
    fire();
    expect(over).to.equal(true);
  });

  it("is over after three times its steps in a process that is always late", () => {
    const { clock, fire } = steppedClock();
    let over = false;
    awakeTimeout(2_000, () => (over = true), clock);
    for (let step = 1; step < 6; step += 1) {
      fire(600);
      expect(over, `after step ${step}`).to.equal(false);
    }
    fire(600);
    expect(over).to.equal(true);
  });
});
