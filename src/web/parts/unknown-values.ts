import { type Html, html } from "../html.ts";
import { nearest } from "../nearest.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";

/** What a parameter of an address is called on the page, and the values that it can have. */
export type KnownValues = { label: string; values: readonly string[] };

/**
 * Says which values of an address nobody knows, since the page does without them; and what was probably meant.
 *
 * @param known by the names of the parameters; others may have any value
 */
export function unknownValues(
  { query, path, href }: Pick<PageContext, "query" | "path" | "href">,
  known: Readonly<Record<string, KnownValues>>,
): Html {
  const unknown = Object.entries(known).flatMap(([name, { label, values }]) => {
    const typed = query.get(name) ?? "";
    return typed === "" || values.includes(typed) ? [] : [{ name, label, typed, meant: nearest(typed, values) }];
  });
  const others = (name: string) => Object.fromEntries([...query].filter(([key]) => key !== name && key !== "page"));
  return (
    unknown.length > 0 &&
    html`<div class="card tools" role="status">
      ${unknown.map(
        ({ name, label, typed, meant }) =>
          html`<p>${texts.issues.unknown(typed, label)}${meant !== undefined && html` ${texts.errors.meant} <a href=${href(path, { ...others(name), [name]: meant })}>${meant}</a>?`}</p>`,
      )}
    </div>`
  );
}
