/** Lines of at most so many characters; addresses stay whole. */
const WIDTH = 72;

/** A line of a text mail, broken where it is too long: what follows is as far in. */
export function wrapped(text: string): string[] {
  const [indent = ""] = /^ */.exec(text) ?? [];
  const lines: string[] = [];
  let line = "";
  for (const word of text.slice(indent.length).split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}
