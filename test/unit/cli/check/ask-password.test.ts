import { PassThrough } from "node:stream";
import { expect } from "chai";
import { InterruptedError, passwordOf } from "../../../../src/cli/check/options/ask-password.ts";
import { UsageError } from "../../../../src/domain/errors.ts";

const never = new AbortController().signal;

/** A terminal at which somebody types; without one, a pipe. */
function terminal({ isTTY = true } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  const streams = { input, output } as unknown as Parameters<typeof passwordOf>[2];
  return { input, streams, written: () => String(output.read() ?? "") };
}

describe("the password of a site's user", () => {
  it("is in the environment, also an empty one, and is not asked for then", async () => {
    const { streams, written } = terminal();
    expect(await passwordOf("ada", { SITE_PASSWORD: "correct horse" }, streams, never)).to.equal("correct horse");
    expect(await passwordOf("ada", { SITE_PASSWORD: "" }, streams, never)).to.equal("");
    expect(written()).to.equal("");
  });

  it("is asked for at a terminal, which does not show it", async () => {
    const { input, streams, written } = terminal();
    const asked = passwordOf("ada", {}, streams, never);
    input.write("correct horse\n");
    expect(await asked).to.equal("correct horse");
    expect(written()).to.equal("Password of ada: \n");
  });

  it("is missing where there is no terminal, and the message says where it belongs", async () => {
    const error = await passwordOf("ada", {}, terminal({ isTTY: false }).streams, never).catch((reason) => reason);
    expect(error).to.be.instanceOf(UsageError);
    expect(error.message).to.equal("--basic-auth needs a password: set SITE_PASSWORD in the environment.");
  });

  for (const [key, typed] of [
    ["Ctrl-C", "\x03"],
    ["Ctrl-D", "\x04"],
  ] as const)
    it(`is no longer waited for after ${key}, which a terminal sends as a character`, async () => {
      const { input, streams } = terminal();
      const asked = passwordOf("ada", {}, streams, never).catch((reason) => reason);
      input.write(typed);
      expect(await asked).to.be.instanceOf(InterruptedError);
    });

  it("is no longer waited for after an interrupt", async () => {
    const interrupt = new AbortController();
    const asked = passwordOf("ada", {}, terminal().streams, interrupt.signal).catch((reason) => reason);
    interrupt.abort();
    expect(await asked).to.be.instanceOf(InterruptedError);
  });
});
