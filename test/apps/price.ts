import type { LeftOut } from "./check.ts";
import type { Outcome } from "./run.ts";

/** Reasons by which an address is left out because of what it might do. */
const SIGNS = /act|form|harm|ends_session|circuit|breaker/;

/** What was left out because it might do something, by what it does really. */
export type Price = {
  acts: LeftOut[];
  /** Only asks before something is done. */
  asks: LeftOut[];
  /** The price: nothing happens there. */
  reads: LeftOut[];
  /** Of the pages that only read, those that were left out, in percent. */
  share: number;
};

export function priceOf({ application, checked, url }: Pick<Outcome, "application" | "checked" | "url">): Price {
  const price: Price = { acts: [], asks: [], reads: [], share: 0 };
  for (const one of checked.leftOut) {
    if (!SIGNS.test(one.reason) || !one.url.startsWith(url)) continue;
    const address = one.url.slice(url.length);
    const isOf = (list: readonly RegExp[] = []) => list.some((pattern) => pattern.test(address));
    if (isOf(application.asks)) price.asks.push(one);
    else if (isOf(application.acts)) price.acts.push(one);
    else price.reads.push(one);
  }
  price.share = (100 * price.reads.length) / Math.max(1, price.reads.length + checked.pages.length);
  return price;
}
