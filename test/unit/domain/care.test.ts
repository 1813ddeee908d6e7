import { expect } from "chai";
import { judgeSeen } from "../../../src/domain/acting/care/judge.ts";
import type {
  Seen,
  SeenBlock,
  SeenCell,
  SeenField,
  SeenImage,
  SeenLink,
  SeenTable,
} from "../../../src/domain/acting/care/seen.ts";

const nothing: Seen = {
  ...{ tables: [], preformatted: [], fields: [], groups: [], links: [], images: [], blocks: [], media: [] },
  ...{ scripted: [], dragged: [], painted: [], flashing: [] },
};
/** What is asked, by rule and the number of what it is about. */
const asked = (seen: Partial<Seen>): string[] =>
  judgeSeen({ ...nothing, ...seen }).map(({ rule, id, review }) => `${rule} ${id}${review ? "" : " error"}`);

const cell = (text: string, more: Partial<SeenCell> = {}): SeenCell => ({
  ...{ text, isHeader: false, scope: "", isBold: false, hasControl: false, hasTable: false },
  ...more,
});
const head = (text: string, more: Partial<SeenCell> = {}): SeenCell => cell(text, { isHeader: true, ...more });
const table = (rows: readonly (readonly (string | SeenCell)[])[], more: Partial<SeenTable> = {}): SeenTable => ({
  ...{ id: 1, role: "", caption: "", isNested: false, hasBorders: false, hasHeaders: false, numRows: rows.length },
  rows: rows.map((cells) => ({
    ...{ isInHead: false, isInFoot: false },
    cells: cells.map((one) => (typeof one === "string" ? cell(one) : one)),
  })),
  ...more,
});

describe("Tables, as an auditor reads them", () => {
  const prices = [
    ["Bread", "Price"],
    ["Rye", "4.20 €"],
    ["Spelt", "4.80 €"],
  ];
  const isAsked: Record<string, SeenTable> = {
    "values under words": table(prices),
    "a caption": table(
      [
        ["Ann", "Ben"],
        ["Cem", "Dora"],
      ],
      { caption: "Pairs" },
    ),
    "a first row in bold": table([
      [cell("Day", { isBold: true }), cell("Baker", { isBold: true })],
      ["Monday", "Ann"],
      ["Tuesday", "Ben"],
    ]),
    "a first column in bold": table([
      [cell("Flour", { isBold: true }), "rye"],
      [cell("Oven", { isBold: true }), "of stone"],
      [cell("Yeast", { isBold: true }), "none"],
    ]),
    "an empty header that is no corner": table([
      [head("Bread"), head("")],
      ["Rye", "4.20 €"],
    ]),
    "header cells where its role says that it is none": table(
      [
        [head("Bread"), head("Price")],
        ["Rye", "4 €"],
      ],
      {
        role: "presentation",
      },
    ),
    "two rows of headers and a column of them, without scope": table([
      [head("Bread"), head("Price")],
      [head("kind"), head("in €")],
      [head("Rye"), "4.20"],
    ]),
  };
  for (const [what, one] of Object.entries(isAsked))
    it(`are asked about with ${what}`, () => expect(asked({ tables: [one] })).to.deep.equal(["sv-table-headers 1"]));

  const isNot: Record<string, SeenTable> = {
    "headers in the first row": table([
      [head("Bread"), head("Price")],
      ["Rye", "4.20 €"],
    ]),
    "an empty corner": table([
      [head(""), head("Price")],
      [head("Rye"), "4.20 €"],
    ]),
    "scope in two directions": table([
      [head("Bread", { scope: "col" }), head("Price", { scope: "col" })],
      [head("kind", { scope: "col" }), head("in €", { scope: "col" })],
      [head("Rye", { scope: "row" }), "4.20"],
    ]),
    "long texts, that only lay out": table([
      ["Navigation of this old page", "a ".repeat(300)],
      ["More of it", "b ".repeat(300)],
    ]),
    "fields of a form": table([
      ["Name", cell("", { hasControl: true })],
      ["Town", cell("", { hasControl: true })],
    ]),
    "one row": table([["1", "2", "3"]]),
    "one column": table([["1"], ["2"], ["3"]]),
    "another table in it": table(prices, { isNested: true }),
    "a role that says that it lays out": table(prices, { role: "none" }),
    "words alone": table([
      ["Ann", "Ben"],
      ["Cem", "Dora"],
    ]),
    "its headers once more at its foot": {
      ...table([
        [head("Bread"), head("Price")],
        ["Rye", "4.20 €"],
      ]),
      rows: [
        { isInHead: true, isInFoot: false, cells: [head("Bread"), head("Price")] },
        { isInHead: false, isInFoot: true, cells: [head("Bread"), head("Price")] },
        { isInHead: false, isInFoot: false, cells: [cell("Rye"), cell("4.20 €")] },
      ],
      numRows: 3,
    },
  };
  for (const [what, one] of Object.entries(isNot))
    it(`are not asked about with ${what}`, () => expect(asked({ tables: [one] })).to.deep.equal([]));

  it("may be made by spaces, and code is none", () => {
    const text = "Bread    Price\nRye      4.20\nSpelt    4.80\n";
    const code = "const a  = 1;\nconst b  = 2;\nconst cc = 3;\n";
    expect(
      asked({
        preformatted: [
          { id: 1, text },
          { id: 2, text: code },
        ],
      }),
    ).to.deep.equal(["sv-table-headers 1"]);
  });
});

const field = (more: Partial<SeenField>): SeenField => ({
  ...{ id: 1, tag: "input", type: "text", name: "a", form: 1, label: "", placeholder: "", title: "" },
  ...{ autocomplete: "", group: 0, question: "", questionId: -1, hint: null, isOff: false },
  ...more,
});

describe("Fields, as an auditor reads them", () => {
  it("have a label of their own, whatever else names them", () => {
    expect(asked({ fields: [field({ placeholder: "Town" })] })).to.deep.equal(["sv-field-label 1"]);
    expect(asked({ fields: [field({ title: "Town" })] })).to.deep.equal(["sv-field-label 1"]);
    expect(asked({ fields: [field({ placeholder: "Berlin", label: "Town" })] })).to.deep.equal([]);
    expect(asked({ fields: [field({ placeholder: "Town", isOff: true })] }), "nobody can fill it").to.deep.equal([]);
  });

  it("are a group if they are of one question, also with a name that ends in brackets", () => {
    const radio = (id: number, more: Partial<SeenField> = {}) =>
      field({ id, type: "radio", name: "pay", label: `by ${id}`, ...more });
    expect(asked({ fields: [radio(1), radio(2)] })).to.deep.equal(["sv-field-group 1"]);
    expect(asked({ fields: [radio(1, { group: 9 }), radio(2, { group: 9 })] })).to.deep.equal([]);
    expect(asked({ fields: [radio(1), radio(2, { form: 2 })] })).to.deep.equal([]);
    const box = (id: number) => field({ id, type: "checkbox", name: `seeds[${id}]`, label: `seed ${id}` });
    expect(asked({ fields: [box(1), box(2)] })).to.deep.equal(["sv-field-group 1"]);
  });

  it("say what they are for if several are for somebody's own data, and one alone may be a search", () => {
    const own = [field({ label: "First name" }), field({ id: 2, name: "b", label: "Email address *" })];
    expect(asked({ fields: own })).to.deep.equal(["sv-field-purpose 1"]);
    expect(asked({ fields: own.map((one) => ({ ...one, autocomplete: "on" })) })).to.deep.equal([]);
    expect(asked({ fields: own.slice(1) })).to.deep.equal([]);
  });
});

const link = (more: Partial<SeenLink>): SeenLink => ({
  ...{ id: 1, name: "Prices", title: "", href: "/prices", target: "https://a.test/prices", role: "" },
  ...{ opensWindow: false, hasPicture: false, hasCode: false, next: -1, around: "", fragment: "none", isFirst: false },
  isHidden: false,
  ...more,
});

describe("Links, as an auditor reads them", () => {
  const cases: readonly [string, Partial<SeenLink>, string[]][] = [
    ["a sign alone", { name: "»" }, ["sv-link-purpose 1"]],
    ["nothing that is seen", { href: "#", isHidden: true }, []],
    [
      "a skip that comes with the focus",
      { name: "Skip to text", isHidden: true, isFirst: true, fragment: "gone" },
      ["sv-skip-link 1 error"],
    ],
    ["a small letter", { name: "x" }, ["sv-link-purpose 1"]],
    ["a sign of an index", { name: "<", around: "! # $ & * + . / : > ? A B C" }, []],
    ["a sign beside numbers of pages", { name: "»", around: "1 2 3 4 5 6 7 8 9" }, ["sv-link-purpose 1"]],
    ["a letter of an index", { name: "B" }, []],
    ["a sign of Chinese", { name: "茶" }, []],
    ["a sign of a program", { name: "e", hasCode: true }, []],
    ["no address", { href: "#", target: "" }, ["sv-scripted-link 1"]],
    ["a script", { href: "javascript:void(0)", target: "" }, ["sv-scripted-link 1"]],
    ["the top of the page", { href: "#", target: "", name: "Back to top" }, []],
    ["a role of its own", { href: "#", target: "", role: "button" }, []],
    ["a skip link to nothing", { name: "Skip to content", isFirst: true, fragment: "gone" }, ["sv-skip-link 1 error"]],
    [
      "a skip link to what is hidden",
      { name: "Skip to content", isFirst: true, fragment: "hidden" },
      ["sv-skip-link 1"],
    ],
    ["another link to nothing", { name: "Chapter 2", isFirst: true, fragment: "gone" }, []],
    ["a new window", { opensWindow: true }, ["sv-new-window 1"]],
    ["a new window that is said", { opensWindow: true, title: "opens in a new tab" }, []],
    ["a document", { target: "https://a.test/a.pdf" }, ["sv-document-link 1"]],
    ["a document that is said beside it", { target: "https://a.test/a.pdf", around: "(PDF, 1 MB)" }, []],
    ["an address that says nothing", { name: "https://a.test/p/7?id=x81c&s=2" }, ["sv-link-purpose 1"]],
    ["an address that can be read", { name: "https://a.test/opening-hours" }, []],
    ["a host alone", { name: "https://oven.test" }, []],
    ["a sign that is the name of what it leads to", { name: "+", href: "Loaf.html#%2B%28other%29" }, []],
    ["an address of a program", { name: "https://a.test/v1/", hasCode: true }, []],
    ["the name of a host", { name: "a.test" }, []],
    ["a recording", { target: "https://a.test/a.mp3" }, ["sv-transcript 1"]],
    ["a recording with its text", { target: "https://a.test/a.mp3", around: "and the transcript" }, []],
  ];
  for (const [what, more, expected] of cases)
    it(`with ${what}: ${expected.join() || "nothing is asked"}`, () =>
      expect(asked({ links: [link(more)] })).to.deep.equal(expected));

  it("beside each other lead to different places, unless they do something", () => {
    const pair = (more: Partial<SeenLink>) => [link({ next: 2, ...more }), link({ id: 2, ...more })];
    expect(asked({ links: pair({}) })).to.deep.equal(["sv-adjacent-links 1"]);
    const signs = pair({}).map((one, at) => ({ ...one, hasPicture: true, name: ["Back", "Up"][at] ?? "" }));
    expect(asked({ links: signs }), "two signs").to.deep.equal([]);
    expect(asked({ links: pair({ href: "#", role: "button" }) })).to.deep.equal([]);
    expect(asked({ links: pair({ href: "#slides", role: "button" }) }), "two buttons").to.deep.equal([]);
    expect(asked({ links: pair({ href: "" }) }), "to the page itself").to.deep.equal([]);
    const ways = pair({ href: "#box" }).map((one, at) => ({ ...one, name: ["Fade", "Pop"][at] ?? "" }));
    expect(asked({ links: ways }), "two ways to open a part").to.deep.equal([]);
  });
});

const block = (text: string, more: Partial<SeenBlock> = {}): SeenBlock => ({
  ...{ id: 1, tag: "p", text, length: text.length, lines: [text], fontSize: 16, isBold: false, isItalic: false },
  ...{ within: "", align: "start", lineHeight: 1.5, width: 600, direction: "ltr", hasDirection: false },
  ...{ isInteractive: false, followedBy: 0, isInList: false, isInForm: false, parent: 0, numGaps: 0, generated: "" },
  ...more,
});
const LONG =
  "The oven is warm from two in the morning on, and the first loaves come out of it when the birds sing. ".repeat(3);

describe("Backgrounds, as an auditor reads them", () => {
  const background = (more: Partial<SeenImage>): SeenImage => ({
    ...{ id: 1, kind: "background", alt: null, title: "", file: "hall.jpg", beside: "", name: "" },
    ...{ width: 400, height: 200, acts: false, ...more },
  });
  const cases: [what: string, more: Partial<SeenImage>, expected: readonly string[]][] = [
    ["say something that nobody hears", {}, ["sv-image-name 1"]],
    ["say alone what something does", { acts: true, width: 16, height: 16 }, ["sv-image-name 1"]],
    ["have a name", { name: "The hall" }, []],
    ["are called so", { file: "card-bg-2.png" }, []],
    ["are small", { height: 20 }, []],
    ["are as wide as a page", { width: 1_200 }, []],
  ];
  for (const [what, more, expected] of cases)
    it(`that ${what}: ${expected.join() || "nothing is asked"}`, () =>
      expect(asked({ images: [background(more)] })).to.deep.equal(expected));
});

describe("Texts, as an auditor reads them", () => {
  const usual = block(LONG, { id: 9 });
  const cases: readonly [string, SeenBlock, string[]][] = [
    ["bold and alone before a text", block("Our oven", { isBold: true, followedBy: 90 }), ["sv-heading-markup 1"]],
    ["large before a text", block("Our oven", { fontSize: 24, followedBy: 90 }), ["sv-heading-markup 1"]],
    ["a link alone", block("Sign in as somebody else", { isBold: true, within: "a", followedBy: 90 }), []],
    ["bold, before nothing", block("Our oven", { isBold: true }), []],
    ["bold, and a sentence", block("We are closed today.", { isBold: true, followedBy: 90 }), []],
    ["the label of a remark", block("Note", { isBold: true, followedBy: 90 }), []],
    ["the caption of a table", block("Table 3. Prices", { isBold: true, followedBy: 90 }), []],
    ["lines with dashes", block("- rye - spelt", { lines: ["- rye", "- spelt"] }), ["sv-list-markup 1"]],
    ["lines of an address", block("Oven Lane 1 Breadtown", { lines: ["Oven Lane 1", "Breadtown"] }), []],
    ["Hebrew without a direction", block("אנחנו אופים את הלחם שלנו"), ["sv-text-direction 1"]],
    [
      "Hebrew that is said to be ltr",
      block("אנחנו אופים את הלחם שלנו", { hasDirection: true }),
      ["sv-text-direction 1 error"],
    ],
    ["Hebrew from right to left", block("אנחנו אופים את הלחם שלנו", { direction: "rtl" }), []],
    ["a name in Hebrew in an English text", block("The word לחם means bread, as everybody here knows"), []],
    ["a long line of a cell", block("wwwww ".repeat(90), { tag: "td", width: 4_000 }), []],
    ["a long line", block("wwwww ".repeat(90), { width: 4_000 }), ["sv-text-presentation 1"]],
    ["a justified text", block(LONG, { align: "justify" }), ["sv-text-presentation 1"]],
    ["words of a style sheet", block("4.20", { generated: "per loaf" }), ["sv-generated-text 1"]],
    ["a sign of a style sheet", block("Rye", { generated: "→" }), []],
    ["a word with blanks", block("B R E A D"), ["sv-blank-markup 1"]],
    ["the letters of an index", block("A B C D E F L M"), []],
  ];
  for (const [what, one, expected] of cases)
    it(`that are ${what}: ${expected.join() || "nothing is asked"}`, () =>
      expect(asked({ blocks: [usual, one] })).to.deep.equal(expected));
});

describe("Paragraphs, as an auditor reads them", () => {
  const paragraphs = (count: number, more: Partial<SeenBlock> = {}) =>
    Array.from({ length: count }, (_, at) => block(LONG, { id: at + 1, ...more }));

  it("are long without a heading, unless they belong to terms or items", () => {
    expect(asked({ blocks: paragraphs(9) })).to.deep.equal(["sv-section-headings 1"]);
    expect(asked({ blocks: paragraphs(9, { isInList: true }) })).to.deep.equal([]);
  });

  it("are no headings where all are as large, beside more of smaller text", () => {
    const small = Array.from({ length: 20 }, (_, at) => block(LONG, { id: 30 + at, tag: "div", fontSize: 12 }));
    const short = block("returns nothing", { id: 9, followedBy: 90 });
    expect(asked({ blocks: [...small, ...paragraphs(3), short] })).to.deep.equal([]);
  });
});

describe("Colours of fields", () => {
  const paint = (more: Partial<Seen["painted"][number]>): Seen["painted"][number] => ({
    ...{ id: 1, kind: "placeholder", colour: [170, 170, 170, 1], behind: [255, 255, 255, 1], filled: null },
    ...{ text: "such as rye", fontSize: 16, isBold: false },
    ...more,
  });
  const cases: Record<string, [Seen["painted"], string[]]> = {
    "are too pale for a placeholder": [[paint({})], ["sv-placeholder-contrast 1 error"]],
    "are enough for a large one": [[paint({ colour: [140, 140, 140, 1], fontSize: 24 })], []],
    "are not known over a picture": [[paint({ behind: null })], []],
    "are too pale for a border": [[paint({ kind: "border" })], ["sv-control-contrast 1"]],
    "may be those of what fills the field": [[paint({ kind: "border", filled: [90, 90, 90, 1] })], []],
    "are said once for all fields of a kind": [[paint({}), paint({ id: 2 })], ["sv-placeholder-contrast 1 error"]],
  };
  for (const [name, [painted, should]] of Object.entries(cases))
    it(name, () => expect(asked({ painted })).to.deep.equal(should));
});

describe("What flashes, is dragged or acts at once", () => {
  it("flashes more than three times a second, on a large part", () => {
    const flashing = (perSecond: number, area: number) => asked({ flashing: [{ id: 1, perSecond, area }] });
    expect([flashing(4, 30_000), flashing(3, 30_000), flashing(9, 10_000)]).to.deep.equal([["sv-flashing 1"], [], []]);
  });

  it("is asked about", () => {
    expect(asked({ dragged: [{ id: 1, text: "Rye" }] })).to.deep.equal(["sv-drag-only 1"]);
    const scripted = { id: 1, tag: "button", role: "", name: "More", click: true, onfocus: "", isFocusable: true };
    const at = (actsOnDown: boolean) => asked({ scripted: [{ ...scripted, hasControl: false, actsOnDown }] });
    expect([at(true), at(false)]).to.deep.equal([["sv-down-event 1"], []]);
  });
});
