import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { identified, startEngine } from "../../support/identified.ts";

/** Faults for each engine: an image without a text alternative, a button without a name, a nesting error, a bad attribute. */
const body = {
  image: '<img class="hero hero_a1b2c3d4e5" src="/pictures/a.png">',
  button: '<button id="b" class="css-1q2w3e4"></button>',
  nesting: "<p><span><div>x</div></span></p>",
  iframe: '<iframe srcdoc="&lt;img src=data:,&gt;" title="t"></iframe>',
};
const page = (parts: Partial<typeof body> = {}, before = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>t</title></head><body>${before}<main id="content"><h1>t</h1>${Object.values(
    { ...body, ...parts },
  ).join("\n")}</main></body></html>`;

for (const name of ["conformance", "html-validate", "axe-core"] as const)
  describe(`the fingerprints of what ${name} finds`, () => {
    let runner: EngineRunner;
    before(async () => {
      runner = await startEngine(name);
    });
    after(() => runner.close());

    /** Each finding of a page as "rule fingerprint". */
    const fingerprints = async (source: string, path?: string): Promise<string[]> =>
      (await identified(runner, source, path)).map(({ fingerprint }) => fingerprint);

    it("are the same for the same page from another host", async () => {
      const first = await fingerprints(page());
      expect(first).to.have.length.greaterThan(1);
      expect(await fingerprints(page())).to.deep.equal(first);
    });

    const same: [what: string, source: string][] = [
      ["a generated class is renamed", page({ image: body.image.replace("a1b2c3d4e5", "f6e7d8c9b0") })],
      ["lines move", page({}, "\n\n<!-- a comment -->\n")],
      ["siblings are added", page({ image: `<p>New.</p>${body.image}` })],
      ["attributes change their order", page({ button: '<button class="css-1q2w3e4" id="b"></button>' })],
      ["a style is set", page({ button: body.button.replace("<button", '<button style="color: black"') })],
    ];
    for (const [what, source] of same)
      it(`are the same when ${what}`, async () => {
        expect(await fingerprints(source)).to.deep.equal(await fingerprints(page()));
      });

    it("are the same for a missing doctype, whatever the document begins with", async () => {
      const without = page().replace("<!DOCTYPE html>", "");
      const first = await fingerprints(without);
      expect(await fingerprints(`<!-- A comment. -->\n${without}`)).to.deep.equal(first);
    });

    it("come with the selector of the element, without what a machine has made", async () => {
      const source = page({ image: `<div class="ad css-1q2w3e4 wide">${body.image}</div>` });
      const selectors = (await identified(runner, source)).map(({ selector }) => selector);
      expect(selectors).to.include("html > body > main#content > div.ad.wide > img.hero");
      if (name === "axe-core") expect(selectors).to.include("iframe > img");
    });

    it("are others for another page and for another element, of that one alone", async () => {
      const first = await fingerprints(page());
      const elsewhere = await fingerprints(page(), "/b");
      expect(elsewhere.filter((finding) => first.includes(finding))).to.deep.equal([]);
      const edited = await fingerprints(page({ image: body.image.replace("a.png", "b.png") }));
      const changed = edited.filter((finding) => !first.includes(finding));
      const image = first.filter((finding) => !edited.includes(finding));
      expect(changed).to.have.length(image.length).greaterThan(0);
      expect(edited.length).to.equal(first.length);
      expect(changed.length).to.be.lessThan(first.length);
    });
  });
