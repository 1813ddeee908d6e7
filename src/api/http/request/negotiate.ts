import type { Request } from "express";
import { refuse } from "../response/errors.ts";

const JSON_API = "application/vnd.api+json";
const JSON_PLAIN = "application/json";

/** The media type of JSON responses to this client: JSON:API's, unless it accepts only plain JSON. */
export function responseType(request: Request): string | undefined {
  return [JSON_API, JSON_PLAIN].find((type) => request.accepts(type));
}

/** The media type of the response: the one that the client prefers. @throws RequestError 406 */
export function requireAccepted(request: Request, offers: readonly string[] | undefined): string {
  const type = offers === undefined ? responseType(request) : request.accepts([...offers]) || undefined;
  if (type) return type;
  const offered = offers?.join(", ") ?? `${JSON_API} and ${JSON_PLAIN}`;
  const received = JSON.stringify(request.get("accept") ?? "");
  throw refuse(
    406,
    "not_acceptable",
    "Not acceptable",
    `Accept is ${received}; this response is available as ${offered}.`,
    {
      header: "Accept",
    },
  );
}

/**
 * Checks the media type of a body. JSON:API 1.0 allows its media type only without
 * parameters; plain JSON may name its charset.
 *
 * @throws RequestError 415
 */
export function requireJsonBody(request: Request): void {
  const header = request.get("content-type") ?? "";
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  const isSupported = type === JSON_API ? parameters.length === 0 : type === JSON_PLAIN && parameters.every(isUtf8);
  if (isSupported) return;
  throw refuse(
    415,
    "unsupported_media_type",
    "Unsupported media type",
    `Content-Type is ${JSON.stringify(header)}; a body must be ${JSON_API} (without parameters) or ${JSON_PLAIN}.`,
    { header: "Content-Type" },
  );
}

function isUtf8(parameter: string): boolean {
  return /^charset="?utf-?8"?$/.test(parameter);
}
