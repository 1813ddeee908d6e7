import type { Request } from "express";

/** Browsers say where a form comes from (Fetch Metadata; older ones with Origin). */
export function isFromElsewhere(request: Request): boolean {
  const site = request.get("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.get("origin");
  // None of these pages hides where it is: "null" is another site's, too.
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== request.host);
}
