import { escaped } from "./escaped-html.ts";

/** A text for a mail, cut so that it takes at most so many bytes in HTML. */
export function cutTo(text: string, max: number): string {
  const bytes = (part: string) => new TextEncoder().encode(escaped(part)).length;
  if (bytes(text) <= max) return text;
  const signs = [...text].slice(0, max);
  while (bytes(`${signs.join("")}…`) > max) signs.pop();
  return `${signs.join("")}…`;
}
