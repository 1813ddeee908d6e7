import type { Attributes } from "../../api/documents.ts";
import { urlText } from "../../domain/addresses/page-variant.ts";
import { type Html, html } from "../html.ts";
import { address } from "./text.ts";

/** The address of a page below its site: what comes after the host, where that is the report's. */
export function pathOnSite(startingUrl: string, url: string): string {
  const root = URL.canParse(startingUrl) ? new URL("/", startingUrl).href : "";
  const text = urlText(url);
  return root !== "" && text.startsWith(root) ? text.slice(root.length - 1) : text;
}

/** A page by its title, with its path below; by its path alone where it has no title. @param to the address of the link */
export function pageName(
  startingUrl: string,
  { title, url }: Pick<Attributes<"web_page">, "title" | "url">,
  to: string,
): Html {
  const path = pathOnSite(startingUrl, url);
  if (title === null) return html`<b>${address(path, to)}</b>`;
  return html`<b><a href=${to}>${title}</a></b> <span class="small quiet url block">${path}</span>`;
}
