import type { Attributes } from "../../api/documents.ts";
import { checkKinds, nounOf } from "../../checks/kinds.ts";

type Page = Attributes<"web_page">;

/** What the checks of a page have found, a check for each kind; null for those that it does not have. */
export const checksOf = (page: Page) => checkKinds.map((kind) => page[`${nounOf(kind)}_check`]);

export const errorsOf = (page: Page): number => checksOf(page).reduce((sum, check) => sum + (check?.errors ?? 0), 0);

export const warningsOf = (page: Page): number =>
  checksOf(page).reduce((sum, check) => sum + (check?.warnings ?? 0), 0);
