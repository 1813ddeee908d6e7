import type { Request } from "express";

/** True for a form from another site: browsers tell by Fetch Metadata, older ones by Origin. */
export function isCrossSite(request: Request): boolean {
  const site = request.get("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.get("origin");
  // These pages never hide their origin: "null" comes from another site, too.
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== request.host);
}
