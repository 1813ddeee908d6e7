import { expect } from "chai";
import fc from "fast-check";
import { type Box, boxOf } from "../../../src/domain/findings/box.ts";

const table: [what: string, rectangle: unknown, box: Box | null][] = [
  ["whole pixels", [10, 20, 30, 40], { x: 10, y: 20, width: 30, height: 40 }],
  ["parts of pixels, which are contained", [10.4, 20.6, 30.2, 1], { x: 10, y: 20, width: 31, height: 2 }],
  ["what is partly beyond the left and the upper edge", [-5, -3, 10, 10], { x: 0, y: 0, width: 5, height: 7 }],
  ["what is beyond the edge", [-9999, 0, 10, 10], null],
  ["what takes no room", [10, 10, 0, 20], null],
  ["what has a negative size", [10, 10, 5, -20], null],
  ["what is larger than any page", [0, 0, 1e12, 5], { x: 0, y: 0, width: 1_000_000, height: 5 }],
  ["what is farther away than any page", [0, 1e9, 5, 5], null],
  ["no numbers", ["10", null, 5, 5], null],
  ["numbers that JSON does not have", [Number.NaN, 0, 5, Number.POSITIVE_INFINITY], null],
  ["no rectangle", { x: 1 }, null],
  ["nothing", null, null],
];

describe("the box of a rectangle", () => {
  for (const [what, rectangle, box] of table)
    it(`of ${what} is ${box === null ? "none" : JSON.stringify(box)}`, () => {
      expect(boxOf(rectangle)).to.deep.equal(box);
    });

  it("has only what can be seen of an element in a frame", () => {
    const frame = { x: 100, y: 100, width: 50, height: 50 };
    expect(boxOf([120, 140, 20, 20], frame)).to.deep.equal({ x: 120, y: 140, width: 20, height: 10 });
    expect(boxOf([120, 150, 20, 20], frame)).to.equal(null);
  });

  it("is made of whole numbers within a page, whatever the rectangle is", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.double(), fc.integer(), fc.anything()), { maxLength: 5 }), (rectangle) => {
        const box = boxOf(rectangle);
        if (box === null) return;
        for (const number of Object.values(box)) expect(Number.isSafeInteger(number) && number >= 0).to.equal(true);
        expect(Math.max(box.x + box.width, box.y + box.height)).to.be.at.most(1_000_000);
        expect(Math.min(box.width, box.height)).to.be.at.least(1);
      }),
      { numRuns: 2_000 },
    );
  });
});
