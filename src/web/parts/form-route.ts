import { RequestError } from "../../domain/errors.ts";
import type { Html } from "../html.ts";
import type { Attempt, Fields, FormRoute, Outcome, PageContext, View } from "../page.ts";
import { inWordsOfPage, type Labels, labelsIn } from "./form-words.ts";

/** Status codes of refusals that the form's author can correct. */
const correctable = new Set([400, 402, 409, 422]);

/**
 * A form for people who have signed in: carries it out or, when that is refused, shows its page again with the reasons, in
 * which fields have the names that the page gives them.
 */
export function formRoute(
  path: string,
  again: (context: PageContext, attempt: Attempt) => Promise<View> | View,
  act: (context: PageContext, fields: Fields) => Promise<Outcome> | Outcome,
): FormRoute {
  return {
    path,
    access: "account",
    async submit(context, fields) {
      try {
        return await act(context, fields);
      } catch (error) {
        if (!(error instanceof RequestError) || !correctable.has(error.status)) throw error;
        // Messages are put into words when the page is rendered: what its fields are called is known once it is made.
        let content: Html;
        let labels: Labels | undefined;
        const violations = error.violations.map((violation) => ({
          ...violation,
          get detail() {
            labels ??= labelsIn(content);
            return inWordsOfPage(violation, labels);
          },
        }));
        const view = await again(context, { fields, violations });
        content = view.content;
        return { ...view, status: error.status };
      }
    },
  };
}
