import { expect } from "chai";
import { judgeNames, type Named } from "../../../src/domain/acting/names.ts";

const named = (kind: Named["kind"], name: string, more: Partial<Named> = {}): Named => ({
  ...{ id: 1, kind, name, around: "", context: [], target: "" },
  ...more,
});
const rules = (...all: Named[]) =>
  judgeNames(all.map((one, id) => ({ ...one, id }))).map(({ rule, id }) => `${rule} ${id}`);

describe("a name on a page", () => {
  const table: [kind: Named["kind"], rule: string, nothing: string[], something: string[]][] = [
    [
      "link",
      "sv-link-purpose",
      [
        "More",
        "read more…",
        "Learn more »",
        "Click here",
        "here",
        "Details",
        "Mehr",
        "weiterlesen",
        "en savoir plus",
        "leer más",
      ],
      ["More about bread", "Here be dragons", "Moretti", "Contact", "Hier wohnen wir", "All loaves", ""],
    ],
    [
      "image",
      "sv-image-name",
      [
        "image",
        "Image 3",
        "A picture",
        "logo",
        "the photo",
        "photo.jpg",
        "IMG-2044.JPEG",
        "Bild",
        "spacer",
        "undefined",
      ],
      ["Logo of the bakery", "Picture of a loaf", "", "Loaf", "imagery", "2.5 stars"],
    ],
    [
      "heading",
      "sv-heading-name",
      ["Section 1", "Heading", "title", "Chapter IV", "Part B", "Abschnitt 3", "Untitled"],
      ["Chapter 1: Bread", "Sections", "Part-time work", "Titles we have won", "Delivery", ""],
    ],
    [
      "label",
      "sv-heading-name",
      ["Field 1", "Input", "label", "Text", "Feld 2"],
      ["Field of study", "Street", "Text of the card", ""],
    ],
    [
      "title",
      "sv-page-title",
      ["Untitled document", "index.html", "Document", "New page", "page 2", "Home page", "contact.php"],
      ["Bakery", "Documents", "Page not found", "Home page of the bakery", ""],
    ],
  ];
  for (const [kind, rule, nothing, something] of table)
    it(`of a ${kind} says something, or not`, () => {
      expect(nothing.filter((name) => rules(named(kind, name)).join() !== `${rule} 0`)).to.deep.equal([]);
      expect(something.filter((name) => rules(named(kind, name)).length > 0)).to.deep.equal([]);
    });

  it("of a link may be said by what is beside it", () => {
    expect(rules(named("link", "More", { around: "We bake our bread every morning." }))).to.deep.equal([]);
    expect(rules(named("link", "More", { around: "… 12" }))).to.deep.equal(["sv-link-purpose 0"]);
  });

  it("of an image must not be that of its file", () => {
    expect(
      rules(named("image", "DSC_17", { around: "DSC_17" }), named("image", "loaf-2", { around: "loaf-3" })),
    ).to.deep.equal(["sv-image-name 0"]);
  });

  it("is only once in the same words, unless it leads to the same place", () => {
    const loaf = (around: string, target: string, ...more: string[]) =>
      named("link", "a loaf", { around, target, context: [around, ...more] });
    expect(rules(loaf("Order or a loaf", "/n"), loaf("Order a loaf or", "/s"))).to.deep.equal(["sv-link-purpose 1"]);
    expect(rules(loaf("Order or a loaf", "/n"), loaf("Order a loaf or", "/n"))).to.deep.equal([]);
    expect(rules(loaf("In the north", "/n"), loaf("In the south", "/s"))).to.deep.equal([]);
    expect(rules(loaf("", "/n"), loaf("", "/s"))).to.deep.equal(["sv-link-purpose 1"]);
    const [south, north] = [loaf("Order", "/s", "under the first heading"), loaf("Order", "/n", "under the second")];
    expect(rules(south, north), "told apart by the heading").to.deep.equal([]);
    expect(rules(south, loaf("Order", "/n", "heading under the first"))).to.deep.equal(["sv-link-purpose 1"]);
  });
});
