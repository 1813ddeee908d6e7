import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";
import { icon } from "./icon.ts";
import { rateText } from "./rates.ts";

/** What people call a site, or its address. */
export function siteName({ name, starting_url }: { name: string | null; starting_url: string }): string {
  return name ?? starting_url;
}

/** The tags in a field, with commas between them. */
export function tagsIn(text: string): string[] {
  return [
    ...new Set(
      text
        .split(",")
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ""),
    ),
  ];
}

/** The least that is shown of a change of errors per page. */
const LEAST = 0.05;

/** A change of errors per page: the arrow says the direction, the colour whether that is good. */
export function turn(change: number, format = rateText): Html {
  if (Math.abs(change) < LEAST) return html`<span class="hidden">${texts.states.persisting}</span>`;
  const isMore = change > 0;
  return html`<span class=${`delta ${isMore ? "bad" : "good"}`}>${icon(isMore ? "more" : "less", isMore ? texts.site.moreBy : texts.site.fewerBy)}${format(Math.abs(change))}</span>`;
}
