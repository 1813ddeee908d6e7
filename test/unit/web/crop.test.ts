import { expect } from "chai";
import type { PageContext } from "../../../src/web/page.ts";
import { cropAround, readCrops } from "../../../src/web/parts/crop.ts";

const size = { width: 800, height: 3_000 };

describe("The part of a screenshot that shows an element", () => {
  const cases: [name: string, box: number[], part: number[] | undefined][] = [
    ["has something around it", [200, 1_000, 400, 200], [184, 984, 432, 232]],
    ["has more around a small one, which is in its middle", [400, 1_000, 10, 10], [285, 965, 240, 80]],
    ["ends at the edges of the picture", [0, 2_990, 800, 10], [0, 2_920, 800, 80]],
    ["begins at the edges of the picture", [2, 3, 20, 20], [0, 0, 240, 80]],
    ["is the beginning of a large one", [0, 100, 800, 2_900], [0, 84, 800, 480]],
    ["is what there is of one that goes on below", [10, 2_900, 100, 5_000], [0, 2_520, 240, 480]],
    ["does not exist for one below the picture", [10, 3_000, 100, 50], undefined],
    ["does not exist for one beside the picture", [800, 10, 100, 50], undefined],
  ];
  for (const [name, [x = 0, y = 0, width = 0, height = 0], part] of cases)
    it(name, () => {
      const found = cropAround({ x, y, width, height }, size);
      expect(found && [found.x, found.y, found.width, found.height]).to.deep.equal(part);
    });

  it("is the whole of a picture that is smaller than that", () => {
    const small = { width: 100, height: 40 };
    expect(cropAround({ x: 5, y: 5, width: 10, height: 10 }, small)).to.deep.equal({ x: 0, y: 0, ...small });
  });

  it("is not looked for in this report if the page is one of the base's", async () => {
    const context = { params: { report_id: "this" }, api: { get: () => Promise.reject(new Error("no such page")) } };
    const example = {
      attributes: { element: { box: { x: 1, y: 1, width: 1, height: 1 } } },
      relationships: { web_page: { links: { related: "https://validator.example.com/reports/base/web_pages/1" } } },
    } as unknown as Parameters<typeof readCrops>[1][number];
    const crop = await readCrops(context as unknown as PageContext, [example]);
    expect(crop(example)).to.equal(null);
  });
});
