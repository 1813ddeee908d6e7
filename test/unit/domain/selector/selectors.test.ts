import { expect } from "chai";
import fc from "fast-check";
import { elementKey } from "../../../../src/domain/identity/element-key.ts";
import { elementSelector } from "../../../../src/domain/selector/element-selector.ts";
import { selectorIndex, selectorPattern } from "../../../../src/domain/selector/match-selector.ts";
import { readSelector } from "../../../../src/domain/selector/read-selector.ts";

const stepsOf = (selector: string): string => {
  const read = readSelector(selector);
  if ("wrong" in read) throw new Error(`${selector} ${read.wrong}`);
  return read.steps;
};
const selectorMatcher = (steps: string) => (selector: string) =>
  selectorIndex([{ steps, found: true }])(selector).has(true);
const step = (name: string, id = "", ...classes: string[]) => ({ name, id, classes });

type Wanted = { name?: string | undefined; id?: string | undefined; classes: string[]; isChild: boolean };

/** From the subject upwards, trying everything. */
function fits(elements: readonly ReturnType<typeof step>[], parts: readonly Wanted[]): boolean {
  const [here, ...above] = elements;
  const wanted = parts.at(-1);
  if (!here || !wanted || !isWanted(here, wanted)) return false;
  const rest = parts.slice(0, -1);
  if (rest.length === 0) return true;
  return wanted.isChild ? fits(above, rest) : above.some((_, up) => fits(above.slice(up), rest));
}

function isWanted(here: ReturnType<typeof step>, { name = here.name, id = here.id, classes }: Wanted): boolean {
  return name === here.name && id === here.id && classes.every((one) => here.classes.includes(one));
}

describe("the selector of an element", () => {
  it("has names, ids and classes from its nearest ancestors to itself, and no positions", () => {
    const steps = [step("img", "", "wide", "dark"), step("main", "content"), step("body")];
    expect(elementSelector(steps)).to.equal("body > main#content > img.dark.wide");
  });

  it("leaves out what a machine has made", () => {
    const element = {
      name: "IMG",
      attributes: [
        ["class", "css-1q2w3e4 hero Button_root__3xYz1"],
        ["id", ":r1:"],
      ],
      ancestors: [
        { name: "div", id: "ember1234", classes: "sc-bdVaJa hnRKsq card" },
        { name: "main", id: "content" },
      ],
    } as const;
    expect(elementKey(element, "https://example.com").selector).to.equal("main#content > div.card > img.hero");
  });

  it("can be read as a selector that selects the element, whatever its names are", () => {
    const names = ["2xl:p-1/2", "[&>p]:m-0", "w-1.5", "a,b", "-", "-1", "ünï", "a#b", "\\", "\u0001", "a\"b'"];
    for (const name of names) {
      const selector = elementSelector([step("p", name, name), step("svg:a", "", name)]);
      expect(selector.split(" "), selector).to.have.length(3);
      expect(selectorMatcher(stepsOf(selector))(selector), selector).to.equal(true);
    }
  });

  it("is short, however deep and however well named the element is", () => {
    const steps = new Array(500).fill(step("div", "i".repeat(50), "c".repeat(50), "d".repeat(60)));
    expect(elementSelector(steps)).to.have.length.within(1, 400);
    const long = step("p", "", ...Array.from({ length: 100 }, (_, index) => `class-${index}`));
    expect(elementSelector([long, step("div")])).to.equal("p");
  });

  it("is all of an element whose names no selector can have", () => {
    expect(elementSelector([step("p", "a b", "c\td"), step("x".repeat(101))])).to.equal("* > p");
  });
});

describe("a muting's selector", () => {
  const element = "html > body.home > div#page > ul.list.wide > li > a.more";
  const cases: [selector: string, selects: boolean][] = [
    ["a", true],
    ["A", true],
    ["*", true],
    ["a.more", true],
    [".more", true],
    [".More", false],
    ["li a", true],
    ["li > a", true],
    ["ul > a", false],
    ["ul a", true],
    ["ul.wide.list a", true],
    [".wide .list a", false],
    ["#page a", true],
    ["#page > a", false],
    ["#page > ul > li > a", true],
    ["body #page li > .more", true],
    ["html a", true],
    ["a a", false],
    ["li", false],
    ["ul", false],
    ["ul, .more", true],
    ["p, ul", false],
    [".home > * > .list *", true],
    ["* * * * * * a", false],
    ["* * * * * a", true],
    ["a#page", false],
    ["#page#other a", false],
    [".more.more", true],
    [".lis a", false],
  ];
  for (const [selector, selects] of cases)
    it(`${selector} ${selects ? "selects" : "does not select"} ${element}`, () => {
      expect(selectorMatcher(stepsOf(selector))(element)).to.equal(selects);
      expect(new RegExp(selectorPattern(stepsOf(selector))).test(element)).to.equal(selects);
    });

  const refused: [selector: string, why: RegExp][] = [
    ["a:nth-child(2)", /^has :nth-child, which cannot be matched against a stored finding; allowed are the names/],
    ["a::before", /has ::before/],
    ["a:hover", /has :hover/],
    ["a[href]", /has \[href\]/],
    ["a + b", /has "\+"/],
    ["a ~ b", /has "~"/],
    ["svg|a", /has "svg\|a"/],
    [".a >>> .b", /a combinator needs an element on either side/],
    ["> a", /a combinator needs/],
    ["a >", /a combinator needs/],
    ["a,,b", /^is not a CSS selector: /],
    ["a{", /^is not a CSS selector: /],
    ["..a", /^is not a CSS selector: /],
    ["/* nothing */", /^is not a CSS selector/],
    ["&", /has a NestingSelector/],
    [new Array(21).fill("a").join(" "), /has 21 steps; at most 20 are allowed/],
  ];
  for (const [selector, why] of refused)
    it(`may not be ${selector.slice(0, 30)}`, () => {
      const read = readSelector(selector);
      expect("wrong" in read ? read.wrong : read).to.match(why);
    });

  it("is found among many, each time", () => {
    const all = [".x", "img", "main img", "*", "img, .x", ".y", "main > *"];
    const found = selectorIndex(all.map((text) => ({ steps: stepsOf(text), found: text })));
    for (let time = 0; time < 2; time++) {
      expect([...found("body > main > img.x")]).to.have.members([".x", "img", "main img", "*", "img, .x", "main > *"]);
      expect([...found("body > p")]).to.deep.equal(["*"]);
    }
    for (let other = 0; other < 6_000; other++) expect(found(`main > p#p-${other}`).size).to.equal(2);
    expect(found("body > main > img.x").size).to.equal(6);
  });

  it("is matched with an element in a time that it does not decide", () => {
    // The element itself fits, and so do its ancestors in any combination: only the outermost one is not there.
    const selector = stepsOf(`.x ${new Array(19).fill("*").join(" ")}`);
    const deep = elementSelector([step("p"), ...new Array(39).fill(step("p"))]);
    expect(selectorMatcher(selector)(deep)).to.equal(false);
  });

  it("selects what a search by hand finds", () => {
    const name = fc.constantFrom("a", "b", "p");
    const element = fc.record({ name, id: fc.constantFrom("", "x", "1"), classes: fc.subarray(["u", "v", "2.w"]) });
    const path = fc.array(element, { minLength: 1, maxLength: 5 });
    const part = fc.record({
      name: fc.option(name, { nil: undefined }),
      id: fc.option(fc.constantFrom("x", "1"), { nil: undefined }),
      classes: fc.subarray(["u", "v", "2.w"]),
      isChild: fc.boolean(),
    });
    const css = { x: "#x", 1: "#\\31 ", u: ".u", v: ".v", "2.w": ".\\32\\.w" } as Record<string, string>;
    fc.assert(
      fc.property(path, fc.array(part, { minLength: 1, maxLength: 4 }), (elements, parts) => {
        const text = parts
          .map((one, index) => {
            const names = [one.name ?? "", css[one.id ?? ""] ?? "", ...one.classes.map((c) => css[c])].join("");
            return `${index === 0 ? "" : one.isChild ? " > " : " "}${names || "*"}`;
          })
          .join("");
        const selector = elementSelector(elements);
        const expected = fits(elements, parts);
        expect(selectorMatcher(stepsOf(text))(selector), `${text} on ${selector}`).to.equal(expected);
        expect(new RegExp(selectorPattern(stepsOf(text))).test(selector), `${text} in ${selector}`).to.equal(expected);
      }),
      { numRuns: 500 },
    );
  });
});
