import { expect } from "chai";
import { parseRefresh } from "../../../src/domain/page/refresh.ts";

describe("a refresh", () => {
  const rows: [text: string, parsed: { seconds: number; target: string } | undefined][] = [
    ["0; url=/new", { seconds: 0, target: "/new" }],
    ["  5  ", { seconds: 5, target: "" }],
    ["3,/new", { seconds: 3, target: "/new" }],
    ["3 /new", { seconds: 3, target: "/new" }],
    ["0;URL = '/new' and more", { seconds: 0, target: "/new" }],
    ["0; \"/a'b", { seconds: 0, target: "/a'b" }],
    ["1.9; url=x", { seconds: 1, target: "x" }],
    [".5;x", { seconds: 0, target: "x" }],
    ["0; up", { seconds: 0, target: "up" }],
    ["0; u'x'", { seconds: 0, target: "u'x'" }],
    ["0; url=", { seconds: 0, target: "" }],
    ["", undefined],
    ["url=/new", undefined],
    ["5x; url=/new", undefined],
    ["-1; url=/new", undefined],
  ];
  for (const [text, parsed] of rows)
    it(`${JSON.stringify(text)} is ${JSON.stringify(parsed)}`, () => {
      expect(parseRefresh(text)).to.deep.equal(parsed);
    });

  it("is read in time that is linear in its length", () => {
    for (const part of [" ", "1", ".", ";", "u", "'"]) {
      const text = part.repeat(1_000_000);
      expect(() => parseRefresh(`0${text}`)).not.to.throw();
      expect(() => parseRefresh(`0;url=${text}`)).not.to.throw();
      expect(() => parseRefresh(text)).not.to.throw();
    }
  });
});
