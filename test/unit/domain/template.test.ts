import { expect } from "chai";
import { templateOf, templateOfVariant } from "../../../src/domain/page/template.ts";

const article = (content: string, head = "") =>
  `<!doctype html><html lang="en"><head><title>${content}</title>${head}</head><body><div id="page"><header class="top"><a href="/">Home</a>
    <form role="search"><input type="search"></form></header><main class="post post-17">${content}</main><footer>A bakery</footer></div></body></html>`;
const plain = article("<h1>Bread</h1><p>Every morning.</p>");

describe("the template of a page", () => {
  const equal: [string, string][] = [
    ["other texts", article("<h1>Cake</h1><p>On Sundays.</p><p>By bicycle.</p>")],
    ["lists, tables and pictures", article('<ul><li>Rye</ul><table><tr><td>2 €</table><img alt="" src="a.png">')],
    ["other numbers in classes", plain.replace("post-17", "post-2044")],
    ["classes in another order", plain.replace("post post-17", "post-17 post")],
    ["parts inside of its parts", article('<div class="note"><p>Closed</p></div><section><h2>More</h2></section>')],
    ["what is in a template or a noscript", article("<template><button></template><noscript><button></noscript>")],
  ];
  for (const [what, page] of equal)
    it(`is the same with ${what}`, () => {
      expect(templateOf(page)).to.equal(templateOf(plain));
    });

  it("does not know versions of scripts and style sheets", () => {
    const of = (version: string) =>
      templateOf(
        article("", `<script src="/js/app.js?v=${version}"></script><link rel="stylesheet" href="/${version}/a.css">`),
      );
    expect(of("1")).to.equal(of("27"));
  });

  const different: [string, string][] = [
    ["a control", article("<button>Order</button>")],
    ["a control that is written as something else", article('<span role="button" tabindex="0">Order</span>')],
    ["what reacts to a click", article('<p onclick="open()">Order</p>')],
    ["a custom element with a long name", article("<bakery-opening-hours></bakery-opening-hours>")],
    ["another class of a landmark", plain.replace("post post-17", "shop")],
    ["another part beside the topmost ones", plain.replace("<footer>", '<div class="banner"></div><footer>')],
    ["another script", article("", '<script src="/js/shop.js"></script>')],
    ["another style sheet", article("", '<link rel="stylesheet" href="/print.css">')],
  ];
  for (const [what, page] of different)
    it(`is another with ${what}`, () => {
      expect(templateOf(page)).not.to.equal(templateOf(plain));
    });

  it("is another in each state of the page", () => {
    const template = templateOf(plain);
    const all = [
      template,
      ...["state=menu", "state=errors", "device=iphone-15&state=menu"].map((one) =>
        templateOfVariant(template, `https://example.com/#:~:${one}`),
      ),
    ];
    expect(new Set(all).size).to.equal(4);
  });

  it("is named in linear time, whatever a page has", () => {
    const deep = article("<div>".repeat(100_000));
    const wide = article(Array.from({ length: 50_000 }, (_, n) => `<x-${n.toString(36)} class="c${n}">`).join(""));
    expect([templateOf(deep), templateOf(wide)].map(({ length }) => length)).to.deep.equal([20, 20]);
  });
});
