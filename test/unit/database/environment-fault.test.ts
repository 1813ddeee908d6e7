import { expect } from "chai";
import { environmentFault } from "../../../src/database/connection/errors.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import { PageError } from "../../../src/domain/failure.ts";

const systemError = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

describe("A fault of the environment", () => {
  const faults: [string, unknown][] = [
    ["a program that says so", new BrokenEnvironmentError("no browser")],
    ["no process left", systemError("EAGAIN", "spawn")],
    ["no memory left", systemError("ENOMEM", "spawn")],
    ["no file descriptor left", systemError("EMFILE", "open")],
    [
      "no file descriptor left for a page's request",
      new PageError("unreachable", "x", { cause: systemError("EMFILE", "connect") }),
    ],
    ["a full disk", systemError("ENOSPC", "write")],
    ["a database that is gone", systemError("ECONNREFUSED", "connect")],
    ["a database without a free disk", Object.assign(new Error("could not extend file"), { code: "53100" })],
  ];
  for (const [name, error] of faults)
    it(`is ${name}`, () => expect(environmentFault(error)).to.be.instanceOf(BrokenEnvironmentError));

  const others: [string, unknown][] = [
    ["a page's failure", new PageError("timeout", "x")],
    ["a host that refuses", new PageError("unreachable", "x", { cause: systemError("ECONNREFUSED", "connect") })],
    ["a bug", new TypeError("x is not a function")],
    ["a value that PostgreSQL refuses", Object.assign(new Error("invalid input"), { code: "22P02" })],
  ];
  for (const [name, error] of others) it(`is not ${name}`, () => expect(environmentFault(error)).to.equal(undefined));
});
