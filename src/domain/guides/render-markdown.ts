import markdownIt from "markdown-it";

/** Without `html`, tags and links to scripts and data stay text: the result needs no other filter. */
const markdown = markdownIt({ html: false, linkify: false, typographer: false });

/** The HTML of a Markdown text, which may be put into any page as it is. */
export function toHtml(text: string): string {
  return markdown.render(text);
}

/** The text of a Markdown text: paragraphs and entries of lists, with an empty line between them. */
export function toPlainText(text: string): string {
  return markdown
    .parse(text, {})
    .flatMap((token) => (token.type === "inline" ? [(token.children ?? []).map(contentOf).join("")] : blockOf(token)))
    .join("\n\n");
}

function contentOf({ type, content }: { type: string; content: string }): string {
  return type === "softbreak" || type === "hardbreak" ? " " : content;
}

function blockOf({ type, content }: { type: string; content: string }): string[] {
  return type === "fence" || type === "code_block" ? [content.trimEnd()] : [];
}
