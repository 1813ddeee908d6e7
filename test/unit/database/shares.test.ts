import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import type { Pool } from "pg";
import { onBehalfOf, sharedPool } from "../../../src/database/connection/connect.ts";

const WAIT_MS = 100;
/** Of which one caller gets two. */
const MAX = 5;

describe("a caller that waits for its share of the connections", () => {
  let now: number;
  beforeEach(() => {
    now = 0;
    mock.timers.enable({ apis: ["setTimeout"] });
  });
  afterEach(() => mock.timers.reset());

  const pass = (ms: number): void => {
    now += ms;
    mock.timers.tick(ms);
  };

  /** A pool that gives the first connections, and keeps all others waiting for as long as the test likes. */
  async function withWaiting() {
    const given: { release: () => void; isBack: boolean }[] = [];
    const late: PromiseWithResolvers<unknown>[] = [];
    let ended = false;
    const client = () => {
      const made = {
        isBack: false,
        release: () => {
          made.isBack = true;
        },
      };
      given.push(made);
      return made;
    };
    const pool = {
      options: {},
      connect: () => {
        if (given.length < 2) return Promise.resolve(client());
        const next = Promise.withResolvers<unknown>();
        late.push(next);
        return next.promise;
      },
      end: async () => {
        ended = true;
      },
    } as unknown as Pool;
    const shared = sharedPool({ pool, openAside: () => pool }, { max: MAX, waitMs: WAIT_MS, now: () => now });
    const connect = () => onBehalfOf("one", () => shared.connect());
    const [first] = [await connect(), await connect()];
    let outcome = "waits";
    connect().then(
      () => (outcome = "connected"),
      (error: Error) => (outcome = error.message),
    );
    const outcomeSoFar = async () => {
      await setImmediate();
      return outcome;
    };
    return { shared, connect, first, late, client, outcomeSoFar, hasEnded: () => ended };
  }

  it("waits no longer for a connection than what its wait for the share has left", async () => {
    const { first, late, client, outcomeSoFar } = await withWaiting();
    pass(WAIT_MS - 30);
    first.release();
    expect([await outcomeSoFar(), late.length]).to.deep.equal(["waits", 1]);
    pass(29);
    expect(await outcomeSoFar()).to.equal("waits");
    pass(1);
    expect(await outcomeSoFar()).to.equal("timeout exceeded when trying to connect");
    const tooLate = client();
    late[0]?.resolve(tooLate);
    await setImmediate();
    expect(tooLate.isBack, "given back").to.equal(true);
  });

  it("is told when its time is over before it has its share", async () => {
    const { outcomeSoFar, late } = await withWaiting();
    pass(WAIT_MS);
    expect([await outcomeSoFar(), late.length]).to.deep.equal(["timeout exceeded when trying to connect", 0]);
  });

  it("is told at once when the pool ends, as is whoever comes later", async () => {
    const { shared, connect, outcomeSoFar, hasEnded } = await withWaiting();
    await shared.end();
    const message = "Cannot use a pool after calling end on the pool";
    expect([await outcomeSoFar(), hasEnded()]).to.deep.equal([message, true]);
    const later = await connect().catch((error: Error) => error.message);
    expect(later).to.equal(message);
  });
});
