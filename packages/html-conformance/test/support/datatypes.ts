import { expect } from "chai";
import { datatypeProblem, datatypeTitle, HTML_DATATYPES } from "../../src/datatypes/index.ts";

/** Values of a datatype, and values that are not, each with the reason. */
export type DatatypeTable = Record<
  string,
  { valid: readonly string[]; invalid: readonly (readonly [string, string])[] }
>;

/** Makes a suite with a test for each value of each datatype of HTML in a table. */
export function describeDatatypes(title: string, table: DatatypeTable): void {
  describe(title, () => {
    for (const [name, { valid, invalid }] of Object.entries(table)) {
      const what = datatypeTitle(HTML_DATATYPES, name);
      for (const value of valid) {
        it(`takes ${JSON.stringify(value)} for ${what}`, () => {
          expect(datatypeProblem(HTML_DATATYPES, name, [], value)).to.equal(undefined);
        });
      }
      for (const [value, reason] of invalid) {
        it(`does not take ${JSON.stringify(value).slice(0, 80)} for ${what}`, () => {
          expect(datatypeProblem(HTML_DATATYPES, name, [], value)).to.equal(reason);
        });
      }
    }
  });
}
