import { readAll } from "../api.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import type { Column } from "./table.ts";

/** A link with the name of a guest, by the guest's token. */
export type GuestLink = (token: string | undefined) => Html;

/** Reads the account's guests. A deleted guest is shown by its token. */
export async function guestLinks({ api, href }: PageContext): Promise<GuestLink> {
  const guests = await readAll<"guest_account">(api, "/guest_accounts");
  const names = new Map(guests.map(({ id, attributes }) => [id, attributes.guest?.name ?? texts.guests.invited]));
  return (token) => {
    if (token === undefined) return "–";
    const name = names.get(token);
    if (name === undefined) return html`<span class="url">${token}</span>`;
    return html`<a class="url" href=${href(`/guests/${encodeURIComponent(token)}`)}>${name}</a>`;
  };
}

/** The column that shows a host which rows belong to guests; none when all rows are its own, and for a guest. */
export async function guestColumn<Row extends { attributes: { guest_token?: string } }>(
  context: PageContext,
  rows: readonly Row[],
): Promise<Column<Row>[]> {
  const tokenOf = ({ attributes }: Row) => attributes.guest_token;
  const isHost = context.reader?.principal.guestToken === null;
  if (!isHost || rows.every((row) => tokenOf(row) === undefined)) return [];
  const link = await guestLinks(context);
  return [{ title: texts.guests.columns.guest, cell: (row) => link(tokenOf(row)) }];
}
