import { expect } from "chai";
import { isGenerated, withoutGenerated } from "../../../../src/domain/identity/generated.ts";

describe("values that a machine has made", () => {
  for (const value of [
    ...[":r1:", ":R2am:", "«r3»", "_r_4_", "radix-:r1:", "ember1234", "ui-id-7", "mui-12", "ext-gen1001"],
    ...[
      "react-select-2-input",
      "headlessui-menu-button-3",
      "550e8400-e29b-41d4-a716-446655440000",
      "item-1700000000000",
    ],
    ...[
      "Button_root__3xYz1",
      "css-1q2w3e4",
      "sc-bdVaJa",
      "kDmMAq",
      "style_a1b2c3d4",
      "main.3f2a1b9c.js",
      "jsx-3094152843",
    ],
    ...["_3fH2k", "d41d8cd98f00b204e9800998ecf8427e"],
  ])
    it(`are seen: ${value}`, () => expect(isGenerated(value)).to.equal(true));

  for (const value of [
    ...[
      "main",
      "nav-bar",
      "navBar",
      "mainContentArea",
      "col-12",
      "md:w-1/2",
      "text-sm",
      "h1",
      "2xl",
      "w3c",
      "block__element--modifier",
    ],
    ...[
      "section-2-1",
      "iPhone",
      "navURL",
      "JavaScript",
      "page42",
      "post-1234",
      "facade",
      "deadline",
      "mt-4",
      "lg:grid-cols-3",
    ],
    ...[
      "XMLHttpRequest",
      "innerHTML",
      "fa-arrow-up",
      "is-active",
      "menu_item_12",
      "2024-05-01",
      "v1.2.3",
      "iso8859",
      "utf8",
    ],
    ...["getElementById", "myNavURLBar", "figure3", "table12a", "eInk", "GitHub", "PostgreSQL"],
  ])
    it(`are not words: ${value}`, () => expect(isGenerated(value)).to.equal(false));

  it("leave what a person has named", () => {
    expect(withoutGenerated("Button_root__3xYz1")).to.equal("Button_root__");
    expect(withoutGenerated("app.3f2a1b9c.js")).to.equal("app..js");
    expect(withoutGenerated("radix-:r1:")).to.equal("");
    expect(withoutGenerated("navBar")).to.equal("navBar");
  });
});
