import path from "node:path";

const contentTypes: Record<string, string> = {
  ".html": "text/html",
  ".htm": "text/html",
  ".xhtml": "application/xhtml+xml",
  ".xht": "application/xhtml+xml",
  ".svg": "image/svg+xml",
};

/** The ends of the names of files that can be checked. */
export const fileExtensions: readonly string[] = Object.keys(contentTypes);

/** The content type of a file by its name; HTML if the name does not tell. */
export function contentTypeOf(file: string): string {
  return contentTypes[path.extname(file).toLowerCase()] ?? "text/html";
}
