import { expect } from "chai";
import {
  datatypeProblem,
  HTML_DATATYPES,
  imageCandidates,
  imageCandidatesProblem,
  sameValue,
  type UrlKind,
  urlProblem,
  XSD_DATATYPES,
} from "../../src/datatypes/index.ts";
import type { Parameter } from "../../src/grammar/syntax.ts";

const pattern = (value: string): Parameter[] => [{ name: "pattern", value }];

type Row = [
  name: string,
  facets: readonly Parameter[],
  valid: readonly string[],
  invalid: readonly (readonly [string, string])[],
];

const curie = "(([\\i-[:]][\\c-[:]]*)?:)[^\\s]*";
const table: Row[] = [
  ["string", [], ["", " a "], []],
  ["token", [], ["", " a "], []],
  [
    "integer",
    [],
    ["1", "+1", " -1 "],
    [
      ["1.0", '"1.0" is not an integer'],
      ["", "it is empty"],
    ],
  ],
  ["nonNegativeInteger", [], ["0", "-0", "+1"], [["-1", "a number below zero is not allowed"]]],
  ["positiveInteger", [], ["1", "+007"], [["0", "zero is not allowed"]]],
  [
    "unsignedLong",
    [],
    ["18446744073709551615", "000000000000000000000001"],
    [["18446744073709551616", "it is too large"]],
  ],
  [
    "decimal",
    [],
    ["1.5", "1.", "-.5"],
    [
      ["1e5", '"1e5" is not a decimal number'],
      [".", '"." is not a decimal number'],
    ],
  ],
  [
    "double",
    [],
    ["1e5", "INF", "-INF", "NaN"],
    [
      ["+INF", '"+INF" is not a number'],
      ["1e", '"1e" is not a number'],
    ],
  ],
  [
    "NCName",
    [],
    ["a", " a-b "],
    [
      ["a:b", "a colon is not allowed"],
      ["1a", '"1" is not allowed at its start'],
    ],
  ],
  ["NMTOKEN", [], ["a", "1:b"], [["a b", "a space is not allowed"]]],
  [
    "NMTOKENS",
    [],
    ["a b", " a\n b "],
    [
      ["", "it is empty"],
      ["a <", '"<" is not allowed'],
    ],
  ],
  ["language", [], ["en", "x-foo"], [["en_US", '"en_US" is not a language tag']]],
  [
    "base64Binary",
    [],
    ["YQ==", "YWI=", "YW Jj"],
    [
      ["YQ", "its base64 is cut off"],
      ["Y=Q=", '"=" is not allowed in base64 there'],
    ],
  ],
  [
    "anyURI",
    [],
    ["a b", "http://a/é"],
    [
      ["%", '"%" is not followed by two hexadecimal digits'],
      ["a#b#c", '"#" occurs twice'],
    ],
  ],
  [
    "string",
    pattern("[0-9]+%"),
    ["50%"],
    [
      ["50", '"50" does not have the form that is needed'],
      ["a50%", '"a50%" does not have the form that is needed'],
    ],
  ],
  ["string", pattern("a|b"), ["a", "b"], [["ab", '"ab" does not have the form that is needed']]],
  ["string", pattern("^$"), ["^$"], [["", '"" does not have the form that is needed']]],
  [
    "string",
    pattern(curie),
    ["a:b", ":", "é-1:x"],
    [
      ["a", `"a" does not have the form that is needed`],
      ["1:a", `"1:a" does not have the form that is needed`],
    ],
  ],
  [
    "string",
    pattern("(ab){2}c{0,1}d{1,}"),
    ["ababd", "ababcdd"],
    [["abd", '"abd" does not have the form that is needed']],
  ],
  ["string", pattern("[a-z-[aeiou]]+"), ["bcd"], [["bad", '"bad" does not have the form that is needed']]],
  ["string", pattern("[1-7]|[\\-+][1-6]"), ["7", "-6"], [["-7", '"-7" does not have the form that is needed']]],
  ["string", [{ name: "minLength", value: "2" }], ["ab", "💩a"], [["💩", "it has fewer than 2 characters"]]],
  ["string", [{ name: "length", value: "1" }], ["a", "💩"], [["", "it does not have 1 characters"]]],
  [
    "double",
    [
      { name: "minInclusive", value: "0" },
      { name: "maxInclusive", value: "1" },
    ],
    ["0", "1", "0.5"],
    [
      ["1.1", "it is greater than 1"],
      ["-1", "it is less than 0"],
      ["NaN", "it is less than 0"],
    ],
  ],
];

describe("datatypes of XML Schema", () => {
  for (const [name, facets, valid, invalid] of table) {
    const what = [name, ...facets.map((facet) => `${facet.name} ${facet.value}`)].join(", ");
    for (const value of valid) {
      it(`takes ${JSON.stringify(value)} for ${what}`, () => {
        expect(datatypeProblem(XSD_DATATYPES, name, facets, value)).to.equal(undefined);
      });
    }
    for (const [value, reason] of invalid) {
      it(`does not take ${JSON.stringify(value)} for ${what}`, () => {
        expect(datatypeProblem(XSD_DATATYPES, name, facets, value)).to.equal(reason);
      });
    }
  }

  it("throws where a datatype, a facet or a library is not known", () => {
    expect(() => datatypeProblem(XSD_DATATYPES, "gYear", [], "1")).to.throw("gYear");
    expect(() => datatypeProblem(XSD_DATATYPES, "string", [{ name: "digits", value: "1" }], "1")).to.throw("digits");
    expect(() => datatypeProblem(HTML_DATATYPES, "foo", [], "1")).to.throw("foo");
    expect(() => datatypeProblem("http://example.com/", "string", [], "1")).to.throw("string");
  });

  it("takes anything for the built-in string and token", () => {
    expect(datatypeProblem("", "string", [], "\0")).to.equal(undefined);
    expect(datatypeProblem("", "token", [], "")).to.equal(undefined);
  });
});

describe("values that the grammar names", () => {
  it("are the same in another case for HTML only", () => {
    expect(sameValue(HTML_DATATYPES, "string", "module", "MODULE")).to.equal(true);
    expect(sameValue(HTML_DATATYPES, "string", "k", "\u212a")).to.equal(false);
    expect(sameValue("", "string", "module", "MODULE")).to.equal(false);
  });

  it("are the same with other whitespace for tokens only", () => {
    expect(sameValue("", "token", "a b", " a  b ")).to.equal(true);
    expect(sameValue("", "string", "a b", " a  b ")).to.equal(false);
  });
});

describe("srcset", () => {
  it("says whether a width is there", () => {
    expect(imageCandidates("a 1x")).to.deep.equal({ problem: undefined, hasWidth: false });
    expect(imageCandidates("a 100w")).to.deep.equal({ problem: undefined, hasWidth: true });
  });
});

describe("functions for assertions", () => {
  const kinds: [UrlKind, string, string | undefined][] = [
    ["reference", "a", undefined],
    ["absolute", "a", "it has no scheme"],
    ["absolute", "x:a", undefined],
    ["http", "x:a", "only http: and https: are allowed"],
  ];
  for (const [kind, url, problem] of kinds) {
    it(`judges the URL ${url} as ${kind}`, () => {
      expect(urlProblem(url, kind)).to.equal(problem);
    });
  }

  it("asks for widths in a srcset where there are sizes", () => {
    expect(imageCandidatesProblem("a")).to.equal(undefined);
    expect(imageCandidatesProblem("a", { widthRequired: true })).to.equal('"a" has no width, which "sizes" needs');
  });
});

describe("values that are made to be slow", () => {
  const LENGTH = 1_000_000;
  const parts = [
    "a",
    " ",
    "(",
    "a, ",
    "[",
    "%41",
    "//",
    "1 ",
    "-",
    ".",
    "a-",
    "/*",
    "M1 1 ",
    "é",
    "url(",
    "x:",
    "charset",
    "P1D",
  ];
  const names = [
    "iri-ref",
    "media-query",
    "source-size-list",
    "image-candidate-strings",
    "language",
    "svg-pathdata",
    "refresh",
  ];
  names.push(
    "mime-type",
    "mime-type-list",
    "content-security-policy",
    "time-datetime",
    "email-address-list",
    "meta-charset",
  );

  it("are judged in one pass for patterns whose parts overlap", () => {
    const overlapping = pattern("\\s*([0-9]*\\s*(%?\\s*(a|b)?)?)\\s*");
    expect(datatypeProblem(XSD_DATATYPES, "string", overlapping, " ".repeat(LENGTH))).to.equal(undefined);
    expect(datatypeProblem(XSD_DATATYPES, "string", overlapping, `${" ".repeat(LENGTH)}x`)).to.be.a("string");
  });

  for (const name of names) {
    it(`are judged in one pass for ${name}`, () => {
      for (const part of parts) {
        const value = part.repeat(LENGTH / part.length);
        const problem = datatypeProblem(HTML_DATATYPES, name, [], value) ?? "";
        expect(problem.length).to.be.lessThan(500);
      }
    });
  }
});
