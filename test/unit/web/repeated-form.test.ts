import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import type { Calls, HttpExchange } from "../../../src/api/page-port.ts";
import { RequestError } from "../../../src/domain/errors.ts";
import { apiFor } from "../../../src/web/api.ts";
import { createOncePerKey } from "../../../src/web/once-per-key.ts";

const refusal = (code: string) => new RequestError({ status: 409, code, title: "Conflict", detail: `It is ${code}.` });

describe("A form that another process of the service is handling already", () => {
  let time = 0;

  beforeEach(() => {
    time = 0;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(performance, "now", () => time);
  });
  afterEach(() => {
    mock.restoreAll();
    mock.timers.reset();
  });

  /** Sends it to an API that refuses it so often, and says what came of it and how often it was asked. */
  async function send(refusals: number, code: string) {
    let calls = 0;
    const port: Pick<Calls, "call"> = {
      async call() {
        calls += 1;
        if (calls <= refusals) throw refusal(code);
        return { status: 201, document: { id: "created" } };
      },
    };
    const api = apiFor(
      port,
      {} as HttpExchange,
      null,
      createOncePerKey(() => new Date(0)),
    );
    let result: unknown;
    const sent = api.post("/tokens", {}, { repeatKey: "key" }).then(
      (document) => {
        result = document;
      },
      (error: Error) => {
        result = error.message;
      },
    );
    for (await turn(); result === undefined; await turn()) {
      time += 200;
      mock.timers.tick(200);
    }
    await sent;
    return { result, calls };
  }

  it("gets the response when it is there", async () => {
    expect(await send(3, "request_running")).to.deep.equal({ result: { id: "created" }, calls: 4 });
  });

  it("is refused when that takes longer than ten seconds", async () => {
    expect(await send(1_000, "request_running")).to.deep.equal({ result: "It is request_running.", calls: 51 });
  });

  it("is refused at once for any other reason", async () => {
    expect(await send(1_000, "conflict")).to.deep.equal({ result: "It is conflict.", calls: 1 });
  });
});
