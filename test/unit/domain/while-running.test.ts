import { expect } from "chai";
import { whileRunning } from "../../../src/domain/while-running.ts";

/** What is started; each start waits for what is said of it. */
function scene() {
  const starts: { ready: (name: string) => void; end: () => void; fail: (why: string) => void }[] = [];
  const running = whileRunning<string>(
    (ready) =>
      new Promise<void>((resolve, reject) => {
        starts.push({ ready, end: resolve, fail: (why) => reject(new Error(why)) });
      }),
  );
  return { starts, running };
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "no error",
    ({ message }: Error) => message,
  );

describe("what is started when it is needed", () => {
  it("is started once, for all who need it at a time", async () => {
    const { starts, running } = scene();
    const both = Promise.all([running.get(), running.get()]);
    starts[0]?.ready("first");
    expect(await both).to.deep.equal(["first", "first"]);
    expect(starts).to.have.length(1);
  });

  it("is started again after it could not start", async () => {
    const { starts, running } = scene();
    const first = failure(running.get());
    starts[0]?.fail("no disk");
    expect(await first).to.equal("no disk");
    const second = running.get();
    starts[1]?.ready("second");
    expect(await second).to.equal("second");
  });

  it("is started again after it has ended", async () => {
    for (const how of ["end", "fail"] as const) {
      const { starts, running } = scene();
      const first = running.get();
      starts[0]?.ready("first");
      await first;
      const ended = running.ended();
      starts[0]?.[how]("killed");
      await ended;
      const second = running.get();
      starts[1]?.ready("second");
      expect(await second).to.equal("second");
    }
  });

  it("has no end to wait for before it is started", async () => {
    await scene().running.ended();
  });
});
