import type { LeftOut } from "./check.ts";
import type { Outcome } from "./run.ts";

/** What was left out because it might do something, by what it does really. */
export type Price = {
  acts: LeftOut[];
  /** One more form of a family, of which a few are visited. */
  forms: LeftOut[];
  /** Only asks before something is done. */
  asks: LeftOut[];
  /** The price: nothing happens there. */
  reads: LeftOut[];
  /** Of the addresses that only read, visited or beyond the limit of pages, those that were left out, in percent. */
  share: number;
};

export function priceOf({ application, checked, url }: Pick<Outcome, "application" | "checked" | "url">): Price {
  const price: Price = { acts: [], forms: [], asks: [], reads: [], share: 0 };
  for (const one of checked.leftOut) {
    if (one.reason === "forms") price.forms.push(one);
    if (one.reason !== "acts" || !one.url.startsWith(url)) continue;
    const address = one.url.slice(url.length);
    const isOf = (list: readonly RegExp[] = []) => list.some((pattern) => pattern.test(address));
    if (isOf(application.asks)) price.asks.push(one);
    else if (isOf(application.acts)) price.acts.push(one);
    else price.reads.push(one);
  }
  const beyondLimit = checked.leftOut.filter(({ reason }) => reason === "page_limit").length;
  const reading = price.reads.length + checked.pages.length + beyondLimit;
  price.share = (100 * price.reads.length) / Math.max(1, reading);
  return price;
}
