import type { CheckOptions } from "../engine.ts";
import { errorsOf } from "./errors-of.ts";

declare global {
  namespace Chai {
    interface Assertion {
      /** That a string is an HTML document without errors. */
      conformingHtml(options?: CheckOptions): Assertion;
    }
  }
}

/** What chai gives to a plugin, as far as it is used here. */
type Chai = {
  Assertion: {
    // biome-ignore lint/suspicious/noExplicitAny: chai types the arguments of methods this way
    addMethod(name: string, method: (this: any, ...args: any[]) => void): void;
  };
};
type Assertion = { _obj: unknown; assert(holds: boolean, message: string, negated: string): void };

/** For chai: `chai.use(conformingHtml)`, then `expect(html).to.be.conformingHtml()`. */
export function conformingHtml({ Assertion }: Chai): void {
  Assertion.addMethod("conformingHtml", function (this: Assertion, options?: CheckOptions) {
    const errors = errorsOf(this._obj, options);
    this.assert(errors === "", errors, "the document has no errors, but should have some");
  });
}
