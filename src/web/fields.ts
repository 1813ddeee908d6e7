import { type Request, type Response, text } from "express";

/**
 * Reads the fields of a form; empty for a body of another type.
 *
 * @param limit the most that is read, such as `8kb`
 * @throws an error of Express's body parser, with a status, for a body that is too large or cannot be read
 */
export async function readFields(request: Request, response: Response, limit: string): Promise<URLSearchParams> {
  const read = text({ type: "application/x-www-form-urlencoded", limit });
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const body: unknown = request.body;
  return new URLSearchParams(typeof body === "string" ? body : "");
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

/** The attributes that a form has: others are not changed. */
export function given(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
