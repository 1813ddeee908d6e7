import { readFileSync } from "node:fs";
import { expect } from "chai";
import { strFromU8, unzipSync } from "fflate";
import { findNuJar } from "../../scripts/nu-jar.ts";
import { parseCompactSyntax } from "../../src/grammar/compact-syntax.ts";
import { HTML } from "../../src/grammar/overlay-html.ts";
import { MATHML_CORE } from "../../src/grammar/overlay-mathml.ts";
import { SVG_2 } from "../../src/grammar/overlay-svg.ts";

describe("The overlays of the grammar", () => {
  it("change what the schemas of the Nu checker still have, and name what is their own", function () {
    const jar = findNuJar()?.jar;
    if (jar === undefined) this.skip();
    const files = unzipSync(readFileSync(jar), { filter: ({ name }) => name.endsWith("_rnc") });
    const schemas = Object.values(files)
      .map((file) => strFromU8(file))
      .join("\n");
    const names = [HTML, SVG_2, MATHML_CORE].flatMap((overlay) =>
      parseCompactSyntax(overlay, "").flatMap((one) => (one.type === "define" ? [one.name] : ["include"])),
    );
    expect(names).to.include.members(["SVG.Core.attrib", "CommonAtt", "select.inner"]);
    const defined = (name: string) => new RegExp(`(?<![\\w.-])${name.replaceAll(".", "\\.")}\\s*[|&]?=`).test(schemas);
    expect(names.filter((name) => !name.includes(".own.") && !defined(name))).to.deep.equal([]);
  });
});
