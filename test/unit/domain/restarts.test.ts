import { expect } from "chai";
import { MAX_FAILED_STARTS, restartDelay } from "../../../src/domain/restarts.ts";

describe("a server that has ended", () => {
  it("is started again soon, and later each time that this fails", () => {
    const delays = [0, 1, 2, 3, 9].map((failures) => restartDelay({ failures, passes: "unknown" }, 1));
    expect(delays).to.deep.equal([200, 400, 800, 1_600, 30_000]);
    expect(restartDelay({ failures: 3, passes: "unknown" }, 0)).to.equal(800);
  });

  it("is not started again after ten failed starts, as nothing changes by itself any more", () => {
    expect(restartDelay({ failures: MAX_FAILED_STARTS - 1, passes: "unknown" }, 0)).to.be.a("number");
    expect(restartDelay({ failures: MAX_FAILED_STARTS, passes: "unknown" }, 0)).to.equal(undefined);
  });

  it("is started again without end while the machine lacks something, such as room on its disk", () => {
    expect(restartDelay({ failures: 10_000, passes: "later" }, 1)).to.equal(30_000);
  });

  it("is not started again when only the user can change what is wrong", () => {
    expect(restartDelay({ failures: 0, passes: "never" }, 0)).to.equal(undefined);
  });
});
