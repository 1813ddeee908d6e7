import type { Attributes } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import { formatShare, texts } from "../texts/en.ts";
import { perPage, rateChange } from "./rates.ts";
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
  { errors, errors_per_page, pages, at_end }: Numbers,
  { change = null, to, more = null }: { change?: Change; to?: (below: string) => string; more?: Html } = {},
): Html {
  const rate = change && rateChange(errors_per_page, change.errors_per_page);
  // An address that leads to no page is none, as in a report.
  const known = pages.known - pages.without_page;
  const tile = (below: string, name: string, figure: Html, what: Html) => {
    const content = html`${name} <b class="figure">${figure}</b> <span class="quiet">${what}</span>`;
    return html`<li>${to ? html`<a class="card tile" href=${to(below)}>${content}</a>` : html`<div class="card tile">${content}</div>`}</li>`;
  };
  return html`<ul class="tiles">
    ${tile("/issues", t.perPage, html`${perPage(errors, pages.checked)} ${rate && turn(rate.by)}`, html`${rate && change && html`${t.before(rate.from)} ${time(change.base_ended_at)}, `}${texts.count.errors(errors)}${at_end.errors !== errors && html` (${texts.count.ended(at_end.errors, 0)})`}`)}
    ${tile("/pages", t.score, formatShare(pages.without_errors, pages.checked), texts.count.of(pages.without_errors, pages.checked))}
    ${tile("/failed", t.coverage, formatShare(pages.checked, known), texts.count.of(pages.checked, known))}
    ${more}
  </ul>`;
}
