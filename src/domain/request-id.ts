import { annotations } from "../schema/resources.ts";

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The id of an API request, if the text has the form of one: at most 64 letters, digits, ".", "_" and "-".
 * Clients choose it (`X-Request-Id`), and users who may write a Report or Schedule choose its annotation;
 * it reaches logs, rows and the environment of Jobs, so anything else counts as missing.
 */
export function parseRequestId(text: string | undefined): string | undefined {
  return text !== undefined && REQUEST_ID.test(text) ? text : undefined;
}

/** The id in a resource's annotation; undefined when there is none of the right form. */
export function requestIdOf(metadata: { annotations?: Record<string, string> }): string | undefined {
  return parseRequestId(metadata.annotations?.[annotations.requestId]);
}
