import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { type FailedAttempt, type RetryOptions, repeat, retry } from "../../../src/time/retry.ts";

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
/** Pauses of 50 to 100 ms, then 100 to 200 ms, and so on: with the random number 1, their whole length. */
const backoff = { baseMs: 100, maxMs: 300 };

describe("a retried operation", () => {
  let time: number;
  let chance: number;

  beforeEach(() => {
    time = 0;
    chance = 1;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(performance, "now", () => time);
    // Once: of a method that is mocked twice, the first mock would stay.
    mock.method(Math, "random", () => chance);
  });
  afterEach(() => {
    mock.restoreAll();
    mock.timers.reset();
  });

  /** Lets everything go on that waits for no clock, and then moves the clock. */
  const pass = async (ms: number): Promise<void> => {
    await turn();
    time += ms;
    mock.timers.tick(ms);
    await turn();
  };
  /** An operation that fails so often, and how often it has been tried. */
  const failing = (times: number) => {
    const operation = {
      tries: 0,
      run: async () => {
        operation.tries += 1;
        if (operation.tries <= times) throw new Error(`failure ${operation.tries}`);
        return "done";
      },
    };
    return operation;
  };
  const always: RetryOptions = { shouldRetry: () => true, backoff };

  it("is not repeated when it succeeds", async () => {
    const operation = failing(0);
    expect(await retry(operation.run, always)).to.equal("done");
    expect(operation.tries).to.equal(1);
  });

  it("is tried again after pauses that grow up to their limit", async () => {
    const operation = failing(4);
    const result = retry(operation.run, always);
    const triesAfter: number[] = [];
    for (const ms of [99, 1, 199, 1, 299, 1, 299, 1]) {
      await pass(ms);
      triesAfter.push(operation.tries);
    }
    expect(triesAfter).to.deep.equal([1, 2, 2, 3, 3, 4, 4, 5]);
    expect(await result).to.equal("done");
  });

  it("pauses for half of that at the least, by chance", async () => {
    chance = 0;
    const operation = failing(1);
    const result = retry(operation.run, always);
    await pass(49);
    expect(operation.tries).to.equal(1);
    await pass(1);
    expect(await result).to.equal("done");
  });

  it("ends with the error after which it is not to be tried again", async () => {
    const operation = failing(9);
    const shouldRetry = (error: unknown): boolean => !(error as Error).message.endsWith("2");
    const error = errorOf(retry(operation.run, { shouldRetry, backoff }));
    await pass(100);
    expect(String(await error)).to.contain("failure 2");
    expect(operation.tries).to.equal(2);
  });

  it("ends with another error where the one who decides throws that", async () => {
    const shouldRetry = (): boolean => {
      throw new Error("given up");
    };
    expect(String(await errorOf(retry(failing(1).run, { shouldRetry, backoff })))).to.contain("given up");
  });

  it("says after each failure how many there were, how much time has passed, and how long the pause is", async () => {
    const said: FailedAttempt[] = [];
    const operation = async (): Promise<string> => {
      time += 5;
      if (said.length < 2) throw new Error("failed");
      return "done";
    };
    const shouldRetry = (_: unknown, tried: FailedAttempt): boolean => said.push(tried) > 0;
    const result = retry(operation, { shouldRetry, backoff });
    await pass(100);
    await pass(200);
    expect(await result).to.equal("done");
    expect(said).to.deep.equal([
      { failures: 1, elapsedMs: 5, delayMs: 100 },
      { failures: 2, elapsedMs: 110, delayMs: 200 },
    ]);
  });

  it("ends at once when its signal aborts in a pause", async () => {
    const stop = new AbortController();
    const operation = failing(9);
    const error = errorOf(retry(operation.run, { ...always, signal: stop.signal }));
    await turn();
    stop.abort();
    expect(await error).to.have.property("name", "AbortError");
    expect(operation.tries).to.equal(1);
  });

  it("that is repeated for good pauses briefly again after a run that was healthy", async () => {
    const stop = new AbortController();
    const lengths = [0, 0, 1_000, 0];
    const starts: number[] = [];
    const errors: unknown[] = [];
    const body = async (): Promise<void> => {
      starts.push(time);
      time += lengths[starts.length - 1] ?? 0;
      if (starts.length === 5) stop.abort();
      else throw new Error("ended");
    };
    const repeated = repeat(body, {
      signal: stop.signal,
      onError: (error) => errors.push(error),
      backoff,
      healthyMs: 1_000,
    });
    for (const ms of [100, 200, 100, 200]) await pass(ms);
    await repeated;
    expect(starts).to.deep.equal([0, 100, 300, 1_400, 1_600]);
    expect(errors).to.have.length(4);
  });
});
