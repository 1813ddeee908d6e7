import { Writable } from "node:stream";
import { mock } from "node:test";
import { expect } from "chai";
import winston from "winston";
import { createLogger } from "../../../src/telemetry/log.ts";
import { commandsIn, logCommands } from "../../attacks/log-commands.ts";

describe("A line of the log", () => {
  function lineOf(level: "warn" | "error", error: unknown): Record<string, unknown> {
    return JSON.parse(textOfLine(level, error)) as Record<string, unknown>;
  }

  function textOfLine(level: "warn" | "error", error: unknown): string {
    let written = "";
    const stream = new Writable({
      write(chunk, _, done) {
        written += chunk;
        done();
      },
    });
    const log = createLogger("info", { program: "test" });
    log.clear().add(new winston.transports.Stream({ stream }));
    log[level]("it failed", { error });
    return written;
  }

  for (const { name, text } of logCommands)
    it(`keeps what others wrote, and is no command: ${name}`, () => {
      expect(commandsIn(textOfLine("warn", text))).to.deep.equal([]);
      expect(lineOf("warn", text).error).to.equal(text);
    });

  it("has the text of an error, not {}", () => {
    expect(lineOf("warn", new Error("no route to host"))).to.include({
      program: "test",
      level: "warn",
      message: "it failed",
      error: "no route to host",
    });
  });

  it("has the stack too where something is broken", () => {
    expect(lineOf("error", new TypeError("x is not a function")).error).to.match(
      /^TypeError: x is not a function\n +at /,
    );
  });

  it("has the texts of all attempts where a connection failed at every address", () => {
    const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}:5432`);
    const error = new AggregateError([refused("::1"), refused("127.0.0.1"), refused("::1")]);
    expect(lineOf("warn", error).error).to.equal("connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432");
    expect(lineOf("error", error).error).to.match(/^connect ECONNREFUSED ::1:5432; [^\n]+\nAggregateError/);
  });

  it("names the code of an error that says nothing", () => {
    expect(lineOf("warn", Object.assign(new Error(""), { code: "ECONNRESET" })).error).to.equal("ECONNRESET");
  });

  it("keeps what is not an Error", () => {
    expect(lineOf("warn", "closed by hand").error).to.equal("closed by hand");
  });

  it("is counted when it repeats, and not written: the count follows a minute later", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = createLogger("info", { program: "test" });
    log.clear().add(new winston.transports.Stream({ stream }));
    for (let i = 0; i < 1_000; i++)
      log.child({ report: "a" }).warn("it failed", { error: new Error("x"), failures: i });
    log.child({ report: "b" }).warn("it failed", { error: new Error("x") });
    expect(lines.map((line) => JSON.parse(line).report)).to.deep.equal(["a", "b"]);
    mock.timers.tick(60_000);
    mock.timers.reset();
    expect(lines.slice(2).map((line) => JSON.parse(line))).to.have.length(1);
    expect(JSON.parse(lines[2] ?? "")).to.include({
      message: "it failed (repeated 999 times in the last minute)",
      repeated: 999,
      report: "a",
      program: "test",
      error: "x",
    });
  });
});
