import type { Attributes } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import { formatShare, texts } from "../texts/en.ts";
import { turn } from "./site-name.ts";
import { time } from "./text.ts";

const t = texts.site;

type Numbers = NonNullable<NonNullable<Attributes<"shared">["site"]>["numbers"]>;
type Change = Pick<NonNullable<Attributes<"site">["change"]>, "errors_per_page" | "base_ended_at"> | null;

/**
 * The newest numbers of a whole site.
 *
 * @param options.to the address of what is counted, below the report's; without it, the tiles lead nowhere
 * @param options.more another tile
 */
export function siteTiles(
  { errors, errors_per_page, pages }: Numbers,
  { change = null, to, more = null }: { change?: Change; to?: (below: string) => string; more?: Html } = {},
): Html {
  const tile = (below: string, name: string, figure: Html, what: Html) => {
    const content = html`${name} <b class="figure">${figure}</b> <span class="quiet">${what}</span>`;
    return html`<li>${to ? html`<a class="card tile" href=${to(below)}>${content}</a>` : html`<div class="card tile">${content}</div>`}</li>`;
  };
  return html`<ul class="tiles">
    ${tile("/issues", t.perPage, html`${errors_per_page.toFixed(1)} ${change && turn(change.errors_per_page)}`, change ? html`${t.before((errors_per_page - change.errors_per_page).toFixed(1))} ${time(change.base_ended_at)}` : texts.count.errors(errors))}
    ${tile("/pages", t.score, formatShare(pages.without_errors, pages.checked), texts.count.of(pages.without_errors, pages.checked))}
    ${tile("/failed", t.coverage, formatShare(pages.checked, pages.known), texts.count.of(pages.checked, pages.known))}
    ${more}
  </ul>`;
}
