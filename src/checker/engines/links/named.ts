import { cssUrls } from "../../../domain/page/css-urls.ts";
import { addressOf } from "../../../domain/page/references.ts";
import type { Needed } from "./rules.ts";

/** What a style sheet or a manifest names, absolute, and how much more than is read. */
export type Named = { urls: Pick<Needed, "as" | "url" | "invalid">[]; leftOut: number };
export const nothing: Named = { urls: [], leftOut: 0 };

/** So much of a style sheet or manifest is read. */
export const MAX_BYTES = 2_000_000;
/** What each names is kept up to this length: it is in memory alone. */
const MAX_CHARACTERS = 200_000;
/** What a manifest names is kept up to this number. */
const MAX_OF_MANIFEST = 1_000;

/** @param url where the body is from, after redirects: what it names is relative to that */
export function namedIn(as: Needed["as"], body: Buffer, url: string): Named {
  const isCut = body.length >= MAX_BYTES;
  const text = body.toString("utf8");
  const { urls: written, leftOut } = as === "manifest" ? manifestUrls(text) : cssUrls(text);
  // The last address of a sheet that is cut may be a part of one.
  if (isCut && as === "style sheet") written.pop();
  let characters = 0;
  const all = written.flatMap(({ as, url: one }) => {
    const address = addressOf(one, url);
    return address ? [{ as, ...address }] : [];
  });
  const urls = all.filter((one) => {
    characters += one.url.length;
    return characters <= MAX_CHARACTERS;
  });
  return { urls, leftOut: leftOut + all.length - urls.length + (isCut ? 1 : 0) };
}

type Written = { as: Needed["as"]; url: string };

/**
 * What a web application's manifest names: https://www.w3.org/TR/appmanifest/. One that is no JSON names nothing, as in browsers.
 */
function manifestUrls(text: string): { urls: Written[]; leftOut: number } {
  const manifest = parsed(text.replace(/^\ufeff/, ""));
  const shortcuts = listOf(manifest, "shortcuts");
  const images = [manifest, ...shortcuts].flatMap((one) => listOf(one, "icons"));
  const all: Written[] = [
    ...[...images, ...listOf(manifest, "screenshots")].map((one) => ({
      as: "image" as const,
      url: textOf(one, "src"),
    })),
    ...[textOf(manifest, "start_url"), ...shortcuts.map((one) => textOf(one, "url"))].map((url) => ({
      as: "link" as const,
      url,
    })),
  ].filter(({ url }) => url.trim() !== "");
  return { urls: all.slice(0, MAX_OF_MANIFEST), leftOut: Math.max(0, all.length - MAX_OF_MANIFEST) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function listOf(value: unknown, name: string): unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

function textOf(value: unknown, name: string): string {
  const text = memberOf(value, name);
  return typeof text === "string" ? text : "";
}
