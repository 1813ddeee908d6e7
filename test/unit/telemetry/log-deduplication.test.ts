import { mock } from "node:test";
import { expect } from "chai";
import { countDuplicates } from "../../../src/telemetry/log-deduplication.ts";

type Line = { level: string; message: string; [field: string]: unknown };

const MINUTE = 60_000;

describe("Lines of the log that repeat", () => {
  let written: Line[];
  let log: (line: Line) => void;

  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    written = [];
    const isNew = countDuplicates((line) => written.push(line as Line));
    log = (line) => {
      if (isNew(line)) written.push(line);
    };
  });
  afterEach(() => mock.timers.reset());

  const lost = (failures: number): Line => ({
    ...{ level: "warn", message: "not written", failures },
    error: new Error("connect ECONNREFUSED"),
  });

  it("are written once, and counted after a minute, for as long as they repeat", () => {
    for (let i = 0; i < 1_235; i++) log(lost(i));
    expect(written).to.have.length(1);
    mock.timers.tick(MINUTE);
    expect(written).to.have.length(2);
    expect(written[1]).to.include({
      message: "not written (repeated 1234 times in the last minute)",
      repeated: 1_234,
      failures: 1_234,
    });
    log(lost(0));
    expect(written).to.have.length(2);
    mock.timers.tick(MINUTE);
    expect(written[2]?.message).to.equal("not written (repeated once in the last minute)");
    mock.timers.tick(MINUTE);
    log(lost(0));
    expect(written.slice(3)).to.have.length(1);
    expect(written[3]?.message).to.equal("not written");
  });

  it("are the same problem of the same thing: others are written", () => {
    const line: Line = { level: "warn", message: "a", job: "one", error: new Error("x") };
    for (const other of [
      line,
      { ...line, job: "two" },
      { ...line, error: new Error("y") },
      { ...line, message: "b" },
      { ...line, level: "error" },
    ])
      log(other);
    expect(written).to.have.length(5);
  });

  it("are alike in every number where they are no problem", () => {
    log({ level: "info", message: "recounted", revision: 1 });
    log({ level: "info", message: "recounted", revision: 2 });
    log({ level: "info", message: "recounted", revision: 2 });
    expect(written.map(({ revision }) => revision)).to.deep.equal([1, 2]);
  });

  it("are remembered for a thousand lines, and no count of others is lost", () => {
    log(lost(1));
    log(lost(2));
    for (let i = 0; i < 1_000; i++) log({ level: "info", message: `${i}` });
    expect(written.some(({ repeated }) => repeated === 1)).to.equal(true);
  });
});
