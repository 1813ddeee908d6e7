import { expect } from "chai";
import fc from "fast-check";
import { causeOf, type FoundFault } from "../../../../src/domain/causes/cause.ts";
import { type CountedCause, causeOfReport, inOrder, sumOf } from "../../../../src/domain/causes/causes.ts";
import { changes } from "../../../../src/domain/causes/changes.ts";
import { colourToChange, withContrast } from "../../../../src/domain/causes/colour.ts";
import { shapeOf } from "../../../../src/domain/causes/shape.ts";
import { titleOfCause } from "../../../../src/domain/causes/title.ts";
import type { Contrast } from "../../../../src/domain/findings/contrast.ts";

const contrast = (foreground: string, background: string): Contrast => ({
  ...{ ratio: 2, required: 4.5, foreground, background, shadow: null, font_size: 16, font_weight: "normal" },
});
const fault = (given: Partial<FoundFault>): FoundFault => ({
  ...{ kind: "a11y", rule: "image-alt", message: "Images must have alternative text", selector: null, element: null },
  ...given,
});
const body = "html > body";

describe("the cause of a finding", () => {
  it("is one for a logo in a link: its picture, and the link's name, by both engines", () => {
    const logo = `${body} > header.top > a.logo`;
    const link = '<a class="logo" href="/"><img src="logo.svg"></a>';
    const keys = [
      fault({ selector: `${logo} > img` }),
      fault({
        kind: "html",
        rule: "img/alt",
        message: 'The attribute "alt" is missing on <img>.',
        selector: `${logo} > img`,
      }),
      fault({ rule: "link-name", selector: logo, element: { extract: link } }),
    ].map((one) => causeOf(one).key);
    expect(new Set(keys).size).to.equal(1);
  });

  it("is another for a link whose picture is decoration", () => {
    const given = { selector: `${body} > header.top > a.logo`, rule: "link-name" };
    const [without, empty] = [
      '<a class="logo"><img src="a.png"></a>',
      '<a class="logo"><img src="a.png" alt=""></a>',
    ].map((extract) => causeOf(fault({ ...given, element: { extract } })).change);
    expect([without, empty]).to.deep.equal(["text-alternative", "name"]);
  });

  it("is one for elements of one shape, wherever in a repeated block and with whatever numbers", () => {
    const places = [
      `${body} > main > ul.teasers > li.odd > a.more`,
      `${body} > main > ul.teasers > li.even.first > a.more.active`,
      `${body} > main > ul.teasers > li#post-17 > a.more`,
    ];
    expect(new Set(places.map((selector) => causeOf(fault({ selector })).key)).size).to.equal(1);
    expect(causeOf(fault({ selector: places[0] ?? "" })).place).to.equal("main a.more");
  });

  it("is another in another part of the page", () => {
    const [top, end] = ["header", "footer"].map(
      (part) => causeOf(fault({ selector: `${body} > ${part} > p > img` })).key,
    );
    expect(top).not.to.equal(end);
  });

  it("is one for all content without a landmark", () => {
    const keys = [`${body} > p`, `${body} > div.intro > h2`, null].map(
      (selector) => causeOf(fault({ rule: "region", selector })).key,
    );
    expect(new Set([...keys, causeOf(fault({ rule: "landmark-one-main" })).key]).size).to.equal(1);
  });

  it("is one for all uses of a colour, that of the text or what is behind it", () => {
    const grey = (selector: string, background: string) =>
      causeOf(
        fault({
          rule: "color-contrast",
          selector,
          element: { extract: "", contrast: contrast("#aaaaaa", background) },
        }),
      );
    expect(grey(`${body} > p`, "#ffffff").key).to.equal(grey(`${body} > footer > a`, "#f0f0f0").key);
    const onOrange = { extract: "", contrast: contrast("#ffffff", "#ee8822") };
    expect(causeOf(fault({ rule: "color-contrast", selector: body, element: onOrange })).place).to.equal("#ee8822");
  });

  it("differs by the attribute that is obsolete, and by the id that is there twice", () => {
    const obsolete = (name: string) =>
      causeOf(
        fault({
          kind: "html",
          rule: "obsolete-attribute",
          message: `The attribute "${name}" on <td> is obsolete.`,
          selector: `${body} > td`,
        }),
      );
    expect(obsolete("align").key).not.to.equal(obsolete("bgcolor").key);
    const twice = (id: string) =>
      causeOf(
        fault({ kind: "html", rule: "duplicate-id", selector: `${body} > p`, element: { extract: `<p id="${id}">` } }),
      );
    expect(twice("note").key).not.to.equal(twice("intro").key);
    expect(twice("note").key).to.equal(twice("note").key);
  });

  it("is in one change at most for every rule", () => {
    for (const kind of ["a11y", "html"] as const) {
      const rules = Object.values(changes).flatMap((change) => change[kind]);
      expect(rules, kind).to.deep.equal([...new Set(rules)]);
    }
  });

  it("exists, and is the same each time, for whatever a page has", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    const selector = fc.array(fc.constantFrom("div", "p.a", "main", "li#x", "a.b\\.c", "img", "section", "*"), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.constantFrom("link-name", "image-alt", "region", "color-contrast", "no-such-rule"),
        text,
        fc.option(selector, { nil: null }),
        fc.option(text, { nil: null }),
        (rule, message, steps, extract) => {
          const given = fault({
            rule,
            message,
            selector: steps?.join(" > ") ?? null,
            element: extract === null ? null : { extract },
          });
          const { key } = causeOf(given);
          expect(key).to.match(/^[0-9a-f]{20}$/);
          expect(causeOf(given).key).to.equal(key);
        },
      ),
    );
  });
});

describe("the shape of an element", () => {
  const shapes: [selector: string, shape: string][] = [
    ["html > body > div.document > div#hd > div#global-nav", "div#hd > div"],
    ["html > body > header > nav > ul > li > a", "nav ul > li > a"],
    ["html > body > main > section#one > section#two > p > a.headerlink", "main a.headerlink"],
    ["html > body > div > table > tbody > tr > td", "div > table td"],
    ["html > body > main > form.buy > p > input#quantity", "form.buy > p > input#quantity"],
    ["html > body > main > h2#content-of-this-page", "main > h2"],
    ["p", "p"],
    ["", ""],
  ];
  for (const [selector, shape] of shapes)
    it(`of ${selector || "nothing"} is ${shape || "nothing"}`, () => {
      expect(shapeOf(selector)).to.equal(shape);
    });
});

describe("a colour that is to be changed", () => {
  it("gets the contrast that is required, darker on light and lighter on dark", () => {
    const channel = fc.integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, "0"));
    const colour = fc.tuple(channel, channel, channel).map((parts) => `#${parts.join("")}`);
    fc.assert(
      fc.property(colour, colour, (foreground, background) => {
        const found = colourToChange({ foreground, background });
        const after = found && withContrast(found, 4.5);
        expect(after).to.match(/^#[0-9a-f]{6}$/);
      }),
    );
    expect(withContrast({ colour: "#aaaaaa", against: "#ffffff" }, 4.5)).to.equal("#767676");
  });
});

describe("the causes of a report", () => {
  const counted = (given: Partial<CountedCause> = {}): CountedCause => ({
    ...{
      id: "00000000000000000001",
      finding_id: "1",
      how_many: 9,
      verified: 0,
      num_pages: 9,
      num_elements: 9,
      section: null,
    },
    ...{ most_pages: 1, rules: ["a11y image-alt"], impact_order: 4 },
    ...given,
  });

  it("are of the role of the place that is changed", () => {
    expect(causeOfReport(counted({ most_pages: 9 }), "main > img").role).to.equal("template");
    expect(causeOfReport(counted(), "main .teaser > img")).to.include({ role: "template", num_places: 1 });
    expect(causeOfReport(counted(), "main > p > img")).to.include({ role: "content", num_places: 9 });
    expect(causeOfReport(counted({ rules: ["a11y color-contrast"] }), "#aaaaaa")).to.include({
      role: "design",
      num_places: 1,
    });
  });

  it("are verified if all was tried, and estimated if some was", () => {
    const known = [9, 3, 0].map((verified) => causeOfReport(counted({ verified }), "p").known_by);
    expect(known).to.deep.equal(["verified", "estimated", "not_verified"]);
  });

  it("come in one order, whatever order they are counted in, and sums count nothing twice", () => {
    const one = fc.record({
      id: fc.stringMatching(/^[0-9a-f]{20}$/),
      how_many: fc.integer({ min: 1, max: 5 }),
      verified: fc.integer({ min: 0, max: 1 }),
      num_pages: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ id }) => id, maxLength: 12 }), (list) => {
        const causes = list.map((given) => causeOfReport(counted(given), "p"));
        const order = inOrder(causes);
        expect(inOrder(causes.toReversed())).to.deep.equal(order);
        expect(order.map(({ number }) => number)).to.deep.equal(order.map((_, index) => index + 1));
        expect(order.map(({ how_many }) => how_many)).to.deep.equal(
          order.map(({ how_many }) => how_many).toSorted((a, b) => b - a),
        );
        const sum = sumOf(order);
        expect(sum.how_many).to.equal(list.reduce((all, { how_many }) => all + how_many, 0));
        const untried = order.filter(({ verified }) => verified === 0);
        expect(sum.how_many - sum.verified - sum.estimated, "not verified").to.equal(sumOf(untried).how_many);
      }),
    );
  });
});

describe("the title of a cause", () => {
  const guide = { title: "An image has no text alternative", named: "{thing} has no text alternative" };
  const titles: [change: string, place: string, markup: string, title: string][] = [
    ["text-alternative", "header a.logo > img", "<img>", "An image in the header has no text alternative"],
    ["text-alternative", "div > p > img", "<img>", "An image has no text alternative"],
    ["text-alternative", "main > x-picture", "<x-picture>", "An image has no text alternative"],
    ["duplicate-id", "main > p", '<p id="note">', "The ID “note” has no text alternative"],
  ];
  for (const [change, place, markup, title] of titles)
    it(`is “${title}” for ${place}`, () => {
      expect(titleOfCause(guide, { change, place }, { markup, fallback: "" })).to.equal(title);
    });

  it("is the engine's own without a guide, and the guide's where that has no place for a thing", () => {
    const cause = { change: "name", place: "header > a" };
    expect(titleOfCause(undefined, cause, { markup: "", fallback: "Links must have text" })).to.equal(
      "Links must have text",
    );
    expect(titleOfCause({ title: "A link is empty" }, cause, { markup: "", fallback: "" })).to.equal("A link is empty");
  });
});
