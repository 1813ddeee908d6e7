import { expect } from "chai";
import { type AssertionRow, findingsOf, tryRows } from "../support/assertion-rows.ts";

const rows: readonly AssertionRow[] = [
  [
    "a style sheet",
    "<!doctype html><style>a{color:red;--x:{a};width:calc(1px + var(--x))}@media print{a:hover{inset:0}}</style>",
  ],
  ["an invalid value", "<!doctype html><style>a{color:foo}</style>", "css/value"],
  ["a number without unit", "<!doctype html><style>a{width:10}</style>", "css/value"],
  ["an unknown property", "<!doctype html><style>a{colour:red}</style>", "css/property"],
  [
    "properties of browsers",
    "<!doctype html><style>a{-webkit-x:y;_height:1px;*zoom:1;filter:alpha(opacity=5)}</style>",
  ],
  ["values of browsers", "<!doctype html><style>a{width:-moz-available;display:-webkit-box}</style>"],
  [
    "recent CSS",
    '<!doctype html><style>@container (width>1px){a{color:light-dark(red,oklch(from red l c h))}}@property --x{syntax:"*";inherits:false}</style>',
  ],
  [
    "rules in rules",
    "<!doctype html><style>a{b:hover{color:red}> c{color:red}&.d{color:red}e,f{color:red}color:blue}</style>",
  ],
  [
    "faults in rules in rules",
    "<!doctype html><style>a{b{color:foo}&:hover{colour:red}c :foucs{color:red}color:foo}</style>",
    "css/value",
    "css/property",
    "css/selector",
    "css/value",
  ],
  [
    "at-rules in rules",
    "<!doctype html><style>a{@media print{color:red;b{color:red}}@container (width>1px){color:red}@-x-y{z}}</style>",
  ],
  [
    "faults in at-rules in rules",
    "<!doctype html><style>a{/* @x */ @media foo{color:foo;b{width:10}}@foo{c{d:e}}}</style>",
    "css/media",
    "css/value",
    "css/value",
    "css/at-rule",
  ],
  ["rules in a group of rules", "<!doctype html><style>@layer x{a{b{c{color:foo}}}}</style>", "css/value"],
  ["a declaration without a value in a rule in a rule", "<!doctype html><style>a{b{color}}</style>", "css/syntax"],
  ["a custom property with braces", "<!doctype html><style>a{--x:{b{c}};/* */--y:{d:e};f{color:red}}</style>"],
  ["rules in a style attribute", '<p style="a{color:foo}">x</p>', "css/style-attribute"],
  ["blocks that do not close", "<!doctype html><style>a{b{color:red</style>", "css/syntax"],
  [
    "pseudo-classes with and without arguments",
    "<!doctype html><style>a:not(b,c):is():nth-child(2n+1):lang(en):dir(rtl):has(> d),:host(e),:host{color:red}</style>",
  ],
  [
    "a pseudo-class without its arguments",
    "<!doctype html><style>a:not{}b:nth-child(){}</style>",
    "css/selector",
    "css/selector",
  ],
  ["a pseudo-class with arguments that it does not have", "<!doctype html><style>a:hover(b){}</style>", "css/selector"],
  ["a media query", "<!doctype html><style>@media screen and (min-width: 1px), print /* x */{a{color:red}}</style>"],
  ["an unknown medium", "<!doctype html><style>@media foo{a{color:red}}</style>", "css/media"],
  ["an unknown at-rule", "<!doctype html><style>@foo{}</style>", "css/at-rule"],
  ["an unknown pseudo-class", "<!doctype html><style>a:foucs{}</style>", "css/selector"],
  ["an unknown pseudo-element", "<!doctype html><style>a::foo{}</style>", "css/selector"],
  ["a declaration without a value", "<!doctype html><style>a{color}</style>", "css/syntax"],
  ["a brace too few", "<!doctype html><style>@media print{a{color:red}</style>", "css/syntax"],
  ["a brace too many", "<!doctype html><style>a{color:red}}</style>", "css/syntax"],
  ["descriptors", "<!doctype html><style>@font-face{font-family:x;src:url(x);ascent-override:90%}</style>"],
  ["a style attribute", '<p style="color:red;margin:0 auto!important">x</p>'],
  ["a style attribute with a fault", '<p style="color:foo">x</p>', "css/style-attribute"],
  ["a style sheet of another type", "<!doctype html><style type=text/plain></style>", "style/type"],
  ["a style in the body", "<div><style>p{color:red}</style><p>x</p></div>", "body-style"],
  ["a style in a template", "<template><style>p{color:red}</style><p>x</p></template>"],
  ["parentheses without end", `<!doctype html><style>a{width:${"(".repeat(100_000)}}</style>`, "css/not-checked"],
  ["a long sheet", `<!doctype html><style>a{colour:red}${" ".repeat(500_000)}</style>`, "css/not-checked"],
  ["a long style attribute", `<p style="colour:red;${" ".repeat(500_000)}">x</p>`, "css/not-checked"],
  [
    "much CSS, and some behind it",
    `<!doctype html>${`<style>${" ".repeat(450_000)}</style>`.repeat(5)}<style>a{colour:red}</style><p style="colour:red">x</p>`,
    "css/not-checked",
  ],
  ["a value in a nested rule", "<!doctype html><style>a{color:red; b{color:foo}}</style>", "css/value"],
  ["a value after a nested rule", "<!doctype html><style>a{b{color:red} width:2}</style>", "css/value"],
  ["a property in a rule with a relative selector", "<!doctype html><style>a{> b{colour:red}}</style>", "css/property"],
  ["a value in a nested at-rule", "<!doctype html><style>a{@media print{color:foo;b{width:1px}}}</style>", "css/value"],
  ["a medium of a nested at-rule", "<!doctype html><style>a{@media foo{color:red}}</style>", "css/media"],
  ["a value in a rule in a nested at-rule", "<!doctype html><style>a{@media print{b{width:1}}}</style>", "css/value"],
  ["a block in a custom property", "<!doctype html><style>a{--x:{b:c};--y:{};color:red}</style>"],
  ["something other than important", "<!doctype html><style>a{color:red !foo}</style>", "css/syntax"],
  ["important with a space", "<!doctype html><style>a{color:red ! IMPORTANT}</style>"],
  ["a circle", "<!doctype html><style>a{clip-path:circle(50%);shape-outside:circle(50% at 1px 2px)}</style>"],
  ["a property in @font-face", "<!doctype html><style>@font-face{width:1px}</style>", "css/property"],
  ["a @charset", '<!doctype html><style>@charset "utf-8";a{color:red}</style>'],
  ["a @charset in single quotes", "<!doctype html><style>@charset 'utf-8';</style>", "css/at-rule"],
  ["a @charset behind a rule", '<!doctype html><style>a{} @charset "utf-8";</style>', "css/at-rule"],
  ["namespaces", '<!doctype html><style>@namespace s "x";s|a,*|b,|c,[s|d]{color:red}</style>'],
  ["a namespace that is not declared", "<!doctype html><style>s|a{color:red}</style>", "css/selector"],
  ["an ID that begins with a digit", "<!doctype html><style>#1{color:red}</style>", "css/selector"],
  ["imports in front", '<!doctype html><style>@layer a;@import "x";@namespace b "c";d{color:red}</style>'],
  ["an import behind a rule", '<!doctype html><style>a{color:red}@import "x";</style>', "css/at-rule"],
  ["an import behind a namespace", '<!doctype html><style>@namespace b "c";@import "x";</style>', "css/at-rule"],
  ["a namespace behind a rule", '<!doctype html><style>a{color:red}@namespace b "c";</style>', "css/at-rule"],
  ["a comment without end", "<!doctype html><style>a{color:red}/* b</style>", "css/syntax"],
  ["a comment and a string", '<!doctype html><style>a{quotes:"" ""}/**/</style>'],
  ["a string without end", `<p style="content:'a">x</p>`, "css/style-attribute"],
];

describe("CSS in rules in rules", () => {
  it("gives the place of a fault", () => {
    const [finding] = findingsOf("<!doctype html>\n<style>a{\n  b { color: red; }\n  c { color: foo; }\n}</style>");
    expect(finding?.place).to.deep.equal({ line: 4, column: 7 });
  });

  it("ends with deep and with many rules", () => {
    const deep = `${"a{".repeat(59)}color:foo${"}".repeat(59)}`;
    expect(findingsOf(`<!doctype html><style>${deep}</style>`)).to.have.length(1);
    expect(findingsOf(`<!doctype html><style>a{${"b{color:foo}".repeat(30_000)}}</style>`)).to.have.length(201);
  });
});

describe("CSS in style sheets and attributes", () => tryRows(rows));
