import type { CursorList } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { icon } from "./icon.ts";

export type Column<Row> = {
  /** Narrow windows show it before each value. */
  title: string;
  cell: (row: Row) => Html;
  numeric?: boolean;
  /** The cells speak for themselves: the title is only for screen readers. */
  hideTitle?: boolean;
  /** Hidden where rows would not fit: the other columns matter more. */
  extra?: boolean;
  /** The cell names its row. */
  header?: boolean;
};

/** A table. Narrow windows show each row as a block with the columns' titles. */
export function table<Row>({
  caption,
  columns,
  rows,
  hideCaption,
}: {
  caption: Html;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  hideCaption?: boolean;
}): Html {
  return html`<table class="stack">
    <caption class=${hideCaption ? "hidden" : undefined}>${caption}</caption>
    <thead class="small">
      <tr>
        ${columns.map(
          (column) => html`<th scope="col" class=${classOf(column)}>
              ${column.hideTitle ? html`<span class="hidden">${column.title}</span>` : column.title}
            </th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${columns.map((column) => {
              const { title, cell, header, hideTitle } = column;
              const attributes = { class: classOf(column), "data-title": hideTitle || header ? undefined : title };
              return header
                ? html`<th scope="row" ...${attributes}>${cell(row)}</th>`
                : html`<td ...${attributes}>${cell(row)}</td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function classOf({ numeric, extra }: { numeric?: boolean; extra?: boolean }): string | undefined {
  return [numeric && "n", extra && "extra"].filter(Boolean).join(" ") || undefined;
}

/** The number of the page of a list that an address asks for. */
export function pageNumber(query: URLSearchParams, name = "page"): number {
  const text = query.get(name) ?? "1";
  return /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : 1;
}

const PAGE_SIZE = 25;

/** How many rows a page has: fewer than usual if the address says so, as after a page of large rows. */
function pageSize(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(`${name}_size`) ?? "";
  return /^[1-9][0-9]{0,2}$/.test(text) ? Math.min(usual, Number(text)) : usual;
}

/** The parameters of the API's lists for this page. */
export function pageQuery(query: URLSearchParams, size = PAGE_SIZE, name = "page"): Record<string, string> {
  return { "page[number]": String(pageNumber(query, name)), "page[size]": String(pageSize(query, name, size)) };
}

/**
 * Links to the previous and next page of a list. If rows are large, the API returns fewer than requested: then the
 * links continue with pages of that size.
 *
 * @param meta the list's `meta` in the API's response
 * @param options.name of the address's parameter
 * @param options.size the size that was given to `pageQuery`
 * @param options.section the id of the list's section, on pages with others before it: the links lead there
 */
export function pagination(
  { path, query, href }: Pick<PageContext, "path" | "query" | "href">,
  list: string,
  { total, page_size }: { total: number; page_size: number },
  { name = "page", size = PAGE_SIZE, section }: { name?: string; size?: number; section?: string } = {},
): Html {
  const before = (pageNumber(query, name) - 1) * pageSize(query, name, size);
  const number = Math.floor(before / page_size) + 1;
  const last = Math.max(1, Math.ceil(total / page_size));
  if (last === 1 && number === 1) return null;
  const to = (page: number) =>
    `${href(path, {
      ...Object.fromEntries([...query].filter(([key]) => key !== "done" && key !== "tick")),
      [name]: page === 1 ? "" : String(page),
      [`${name}_size`]: page_size === size ? "" : String(page_size),
    })}${section === undefined ? "" : `#${section}`}`;
  const { previous, next, place, label } = texts.pagination;
  return html`<nav class="line near" aria-label=${label(list)}>
    <span class="quiet">${place(Math.min(total, before + 1), Math.min(total, before + page_size), total)}</span>
    ${number > 1 && html`<a class="button quiet" rel="prev" href=${to(Math.min(number - 1, last))}>${icon("previous")} ${previous}</a>`}
    ${number < last && html`<a class="button quiet" rel="next" href=${to(number + 1)}>${next} ${icon("next")}</a>`}
  </nav>`;
}

/** The API's parameter for a list with a cursor, for the part that an address asks for. */
export function cursorQuery(query: URLSearchParams): { "page[after]": string | undefined } {
  return { "page[after]": query.get("after") ?? undefined };
}

/** A link to the next part of such a list. @param query the other parameters of the address */
export function nextPart(
  { path, href }: Pick<PageContext, "path" | "href">,
  { next }: CursorList["links"],
  query: Readonly<Record<string, string | undefined>>,
): Html {
  const after = next && new URL(next).searchParams.get("page[after]");
  return (
    after &&
    html`<p><a class="button quiet" href=${href(path, { ...query, after })}>${texts.pagination.next} ${icon("next")}</a></p>`
  );
}
