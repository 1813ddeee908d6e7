import type { Guide, GuideExample } from "../../src/domain/guides/guide.ts";

/** An example as a server sends it. A part of a body becomes a small page, with a heading and a landmark for accessibility. */
export function asDocument({ kind }: Pick<Guide, "kind">, example: GuideExample) {
  const { source, language, isDocument } = example;
  const body = kind === "a11y" ? `<main>\n<h1>Example</h1>\n${source}</main>\n` : source;
  return {
    // Without a charset, so that examples can be about the encoding.
    contentType: language === "xhtml" ? "application/xhtml+xml" : "text/html",
    source: isDocument
      ? source
      : `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Example</title></head>\n<body>\n${body}</body>\n</html>\n`,
  };
}
