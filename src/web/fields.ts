import { type Response as Answer, type Request, raw, text } from "express";
import { type CalendarDay, isDay } from "../domain/calendar-day.ts";
import { decodeText } from "../domain/page-views/decode.ts";

const FILES = "multipart/form-data";

/**
 * Reads the fields of a form; empty for a body of another type. Of a file it has the text.
 *
 * @param limit the most that is read, such as `8kb`
 * @throws an error of Express's body parser, with a status, for a body that is too large or cannot be read
 */
export async function readFields(request: Request, response: Answer, limit: string): Promise<URLSearchParams> {
  const hasFiles = request.is(FILES) !== false && request.is(FILES) !== null;
  const read = hasFiles ? raw({ type: FILES, limit }) : text({ type: "application/x-www-form-urlencoded", limit });
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const body: unknown = request.body;
  if (Buffer.isBuffer(body)) return fieldsOfParts(body, request.get("content-type") ?? "");
  return new URLSearchParams(typeof body === "string" ? body : "");
}

/** The fields of a form with files; none of one that cannot be read, which then lacks its secret. */
async function fieldsOfParts(body: Buffer, type: string): Promise<URLSearchParams> {
  const fields = new URLSearchParams();
  const parts = await new Response(new Uint8Array(body), { headers: { "content-type": type } })
    .formData()
    .catch(() => undefined);
  for (const [name, part] of parts ?? [])
    fields.append(name, typeof part === "string" ? part : decodeText(new Uint8Array(await part.arrayBuffer())));
  return fields;
}

/** A field's text, without spaces around it; undefined when the form has no such field. */
export function textIn(fields: URLSearchParams, name: string): string | undefined {
  return fields.get(name)?.trim();
}

/** The number in a field; what is not a number stays text, for the API to refuse. */
export function numberIn(fields: URLSearchParams, name: string): number | string | undefined {
  const text = textIn(fields, name);
  return text !== undefined && /^-?[0-9]+([.][0-9]+)?$/.test(text) ? Number(text) : text;
}

/** The day in a field, or in an address; undefined for what is no day of the calendar. */
export function dayIn(fields: URLSearchParams, name: string): CalendarDay | undefined {
  const text = fields.get(name) ?? "";
  return isDay(text) ? text : undefined;
}

/** The attributes that a form has: others are not changed. */
export function given(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
