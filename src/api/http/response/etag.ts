import type { Request, Response } from "express";
import { matchesEtag, versionOf } from "../../../responses/version.ts";
import type { RouteResponse } from "../../context.ts";

/**
 * Sets the ETag of one resource, so that polling is cheap: a client that has the current version
 * gets 304. Lists have no ETag: they change with everything in them.
 *
 * @returns true when the client has this version: respond with 304
 */
export function isKnownVersion(
  request: Request,
  response: Response,
  result: RouteResponse,
  { body, mediaType }: { body: string; mediaType: string },
): boolean {
  const readsOne = request.method === "GET" || request.method === "HEAD";
  if (!readsOne || result.status !== 200 || !("document" in result)) return false;
  if (!("data" in result.document) || Array.isArray(result.document.data)) return false;
  const etag = `"${versionOf(body, mediaType)}"`;
  // The client may store the response, but must revalidate it before every use.
  response.set({ ETag: etag, "Cache-Control": "private, no-cache" });
  const known = request.get("if-none-match");
  return known !== undefined && matchesEtag(known, etag);
}
