import { expect } from "chai";
import { visible } from "html-conformance/log-text";
import { cut, oneLine, styled, terminalOf, wrap } from "../../../src/cli/terminal.ts";

const wide = (width: number) => ({ width, colour: false });

describe("a terminal", () => {
  const tty = { isTTY: true, columns: 100 };
  for (const [what, stream, environment, option, colour] of [
    ["is coloured", tty, {}, undefined, true],
    ["is not coloured if NO_COLOR is set", tty, { NO_COLOR: "1" }, undefined, false],
    ["is coloured if NO_COLOR is empty", tty, { NO_COLOR: "" }, undefined, true],
    ["is not coloured if it is dumb", tty, { TERM: "dumb" }, undefined, false],
    ["is not coloured with --no-color", tty, {}, false, false],
    ["is coloured with --color, also if NO_COLOR is set", tty, { NO_COLOR: "1" }, true, true],
    ["is not coloured if it is a pipe", {}, {}, undefined, false],
    ["is coloured with --color if it is a pipe", {}, {}, true, true],
  ] as const)
    it(what, () => {
      expect(terminalOf(stream, environment, option).colour).to.equal(colour);
    });

  it("has its width, 60 columns or more; a pipe has none", () => {
    expect(terminalOf(tty, {}).width).to.equal(100);
    expect(terminalOf({ isTTY: true, columns: 20 }, {}).width).to.equal(60);
    expect(terminalOf({ isTTY: true }, {}).width).to.equal(80);
    expect(terminalOf({}, {}).width).to.equal(Number.POSITIVE_INFINITY);
  });
});

describe("text on a terminal", () => {
  it("has no control characters that come from pages", () => {
    expect(visible("a\x1b[31mb\u202Ec\n")).to.equal("a\uFFFD[31mb\uFFFDc\uFFFD");
    expect(oneLine("a\n\t b\u2028c\x9b")).to.equal("a b c\uFFFD");
  });

  it("is wrapped at words, and a word that is too long stays whole", () => {
    expect(wrap("aaa bbb ccc", wide(7), 0)).to.deep.equal(["aaa bbb", "ccc"]);
    expect(wrap("aaa bbb ccc", wide(7), 2)).to.deep.equal(["aaa", "bbb", "ccc"]);
    expect(wrap("a https://example.com/ b", wide(7), 0)).to.deep.equal(["a", "https://example.com/", "b"]);
    expect(wrap("a b", wide(Number.POSITIVE_INFINITY), 0)).to.deep.equal(["a b"]);
  });

  it("is cut, and never within a character", () => {
    expect(cut("abcdef", wide(6), 0)).to.equal("abcdef");
    expect(cut("abcdef", wide(6), 2)).to.equal("abc…");
    expect(cut("ab😀cd", wide(4), 0)).to.equal("ab…");
  });

  it("is styled where there is colour", () => {
    expect(styled({ width: 80, colour: true }, "error", "x")).to.equal("\x1b[31mx\x1b[39m");
    expect(styled({ width: 80, colour: true }, "error", "")).to.equal("");
    expect(styled(wide(80), "error", "x")).to.equal("x");
  });
});
