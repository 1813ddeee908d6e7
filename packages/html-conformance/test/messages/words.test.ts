import { expect } from "chai";
import { check } from "../../src/index.ts";

const page = (body: string, head = "<title>A</title>") =>
  `<!DOCTYPE html><html lang="en"><head>${head}</head><body>${body}</body></html>`;
const style = (css: string) => page("", `<title>A</title><style>${css}</style>`);

/** A page and what its author reads first, of mistakes that a grammar knows by detours. */
const rows: readonly (readonly [what: string, source: string, message: string])[] = [
  [
    "what an element consists of, where it has text",
    page("<ul>Hours <li>Mo</li></ul>"),
    "Text is not allowed directly in <ul>; it may contain <li>, <script> or <template>.",
  ],
  [
    "the attribute by which another one is needed",
    page('<a target="_blank">More</a>'),
    '<a> with the attribute "target" needs the attribute "href".',
  ],
  [
    "the role by which an attribute is needed",
    page('<button role="switch">Dark</button>'),
    '<button role="switch"> needs the attribute "aria-checked".',
  ],
  ["no attribute of RDFa among alternatives", page("<img alt=A>"), '<img> needs the attribute "src" or "srcset".'],
  ["a heading instead of six", page("<hgroup><p>B</p></hgroup>"), "<hgroup> is missing a heading (<h1> to <h6>)."],
  [
    "how many children an element of MathML has",
    page("<math><mfrac><mn>1</mn></mfrac></math>"),
    "<mfrac> needs 2 child elements, and has 1.",
  ],
  [
    "both children that a group lacks",
    page("<dl><div></div></dl>"),
    "<div> is missing a child element <dt> and a child element <dd>.",
  ],
  [
    "that a value is empty",
    page('<p itemscope itemtype="">A</p>'),
    'The value "" of the attribute "itemtype" on <p> is not valid: it is empty.',
  ],
  [
    "the sign that CSS expects, and what is there",
    style("p{color red}"),
    'In <style>: ":" is expected, but "red" is found.',
  ],
  ["a selector that is missing", style("{color:red}"), 'In <style>: a selector is expected, but "{" is found.'],
  ["the element that is still open", page("<svg><g></svg>"), "</svg> comes, but <g> in it is still open."],
];

describe("A message", () => {
  for (const [what, source, message] of rows)
    it(`names ${what}`, () => {
      expect(check(source).map((one) => one.message)).to.include(message);
    });
});
