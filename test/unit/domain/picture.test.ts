import { expect } from "chai";
import {
  areaAround,
  boundPictures,
  boxesToPicture,
  MAX_PICTURE_BYTES,
  MAX_PICTURES,
} from "../../../src/domain/findings/picture.ts";

const box = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const page = { width: 1_280, height: 3_000 };

describe("the picture of an element", () => {
  const table: [what: string, of: ReturnType<typeof box>, area: ReturnType<typeof box> | null][] = [
    ["a small one is in the middle of it", box(600, 1_000, 40, 20), box(500, 950, 240, 120)],
    ["a wide one has a margin", box(400, 1_000, 300, 100), box(384, 984, 332, 132)],
    ["one in the corner is in the corner", box(0, 0, 40, 20), box(0, 0, 240, 120)],
    ["one at the end is at the end", box(1_260, 2_990, 20, 10), box(1_040, 2_880, 240, 120)],
    ["a large one has its beginning", box(100, 200, 1_000, 2_000), box(84, 184, 480, 320)],
    ["the whole page has its beginning", box(0, 0, 1_280, 3_000), box(0, 0, 480, 320)],
    ["one below the picture of the page has none", box(0, 3_100, 40, 20), null],
  ];
  for (const [what, of, area] of table)
    it(`shows what is around it: ${what}`, () => {
      expect(areaAround(of, page)).to.deep.equal(area);
    });

  it("is no larger than the page", () => {
    expect(areaAround(box(10, 10, 20, 20), { width: 100, height: 50 })).to.deep.equal(box(0, 0, 100, 50));
  });

  it("is of the first element of each rule first, once for each box", () => {
    const of = (...boxes: (ReturnType<typeof box> | null)[]) => ({ html: boxes.map((one) => ({ box: one })) });
    const [a, b, c] = [box(1, 1, 1, 1), box(2, 2, 2, 2), box(3, 3, 3, 3)];
    expect(boxesToPicture([of(a, b), of(c, null, a)])).to.deep.equal([a, c, b]);
    expect(boxesToPicture([])).to.deep.equal([]);
    const many = Array.from({ length: 100 }, (_, index) => box(index, 0, 1, 1));
    expect(boxesToPicture([of(...many)])).to.have.length(MAX_PICTURES);
  });

  it("is stored within limits", () => {
    const picture = (bytes: number) => ({ box: box(0, 0, 1, 1), area: box(0, 0, 1, 1), webp: new Uint8Array(bytes) });
    expect(boundPictures([picture(0), picture(MAX_PICTURE_BYTES), picture(MAX_PICTURE_BYTES + 1)])).to.have.length(1);
    expect(boundPictures(Array(100).fill(picture(1)))).to.have.length(MAX_PICTURES);
  });
});
