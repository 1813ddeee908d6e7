/**
 * Looks for text that is neither white space nor a comment of JavaScript.
 * @returns the text from there on, or a comment that does not end; undefined if there is neither
 */
export function documentationProblem(text: string): string | undefined {
  for (let i = 0; i < text.length; ) {
    const code = text[i];
    if (code === " " || code === "\t" || code === "\n" || code === "\r" || code === "\f") i++;
    else if (text.startsWith("//", i)) {
      const end = text.indexOf("\n", i);
      if (end === -1) return text.slice(i);
      i = end + 1;
    } else if (text.startsWith("/*", i)) {
      const end = text.indexOf("*/", i + 2);
      if (end === -1) return text.slice(i);
      i = end + 2;
    } else return text.slice(i);
  }
  return undefined;
}
