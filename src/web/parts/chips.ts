import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";

/** A value of a filter: chosen or not, and how much it shows. */
export type Chip = { value: string; text: Html; count?: number | undefined };

/**
 * Links that set a filter in the address and leave the others as they are; the chosen one takes it away again.
 *
 * @param options.name the filter's parameter
 */
export function chips(
  { query, path, href }: Pick<PageContext, "query" | "path" | "href">,
  { name, label, values }: { name: string; label: string; values: readonly Chip[] },
): Html {
  const chosen = query.get(name) ?? "";
  const others = Object.fromEntries([...query].filter(([key]) => key !== name && !/^(page|done|after|tick)/.test(key)));
  return html`<div class="chips" role="group" aria-label=${label}>
    <span class="quiet">${label}</span>
    <ul>
      ${values.map(({ value, text, count }) => {
        const isChosen = value === chosen;
        const to = href(path, { ...others, [name]: isChosen ? "" : value });
        return html`<li>
          <a class="chip" href=${to} aria-current=${isChosen ? "true" : undefined}>${text}${count !== undefined && html` <span class="quiet">${formatNumber(count)}</span>`}</a>
        </li>`;
      })}
    </ul>
  </div>`;
}

/**
 * A choice of one of a few, as links: all of them, or one value of a filter.
 *
 * @param options.all how much there is without the filter, if that is known
 * @param options.allText what is shown without the filter, if that is not everything
 */
export function segments(
  { query, path, href }: Pick<PageContext, "query" | "path" | "href">,
  {
    name,
    label,
    all,
    allText = texts.all,
    values,
  }: { name: string; label: string; all: number | undefined; allText?: string; values: readonly Chip[] },
): Html {
  const chosen = query.get(name) ?? "";
  const link = ({ value, text, count }: Chip) =>
    html`<a href=${href(path, { [name]: value })} aria-current=${value === chosen ? "true" : undefined}>${text}${count !== undefined && ` ${formatNumber(count)}`}</a>`;
  return html`<nav class="seg" aria-label=${label}>${[{ value: "", text: allText, count: all }, ...values].map(link)}</nav>`;
}

/** The success criterion that an address chooses: a link takes it away again. */
export function chosenCriterion(context: Pick<PageContext, "query" | "path" | "href">): Html {
  const value = context.query.get("criterion");
  return value && chips(context, { name: "criterion", label: texts.issue.criteria, values: [{ value, text: value }] });
}
