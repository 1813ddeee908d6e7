import { expect } from "chai";
import { ownGrammars } from "../../scripts/own-grammars.ts";
import { createChecker } from "../../src/engine.ts";
import { standardDocuments } from "../support/standard-documents.ts";

const grammars = await ownGrammars();
const { check } = createChecker((preset) => grammars[preset]);

describe("A small document is judged as the Standard's text does", () => {
  for (const { verdict, section, source, document } of standardDocuments())
    it(`${{ E: "finds an error in", V: "finds none in", W: "warns of" }[verdict]} ${source} (${section})`, () => {
      const found = check(document.source, document);
      const errors = found.filter(({ type }) => type === "error");
      if (verdict === "W") expect(found).to.not.be.empty;
      if (verdict === "E") expect(errors).to.not.be.empty;
      else expect(errors.map(({ message }) => message)).to.deep.equal([]);
    });
});
