import type { Token } from "parse5";

/** Turns offsets into locations. */
export type Lines = {
  location: (start: number, end: number) => Token.Location;
  end: (offset: number) => Pick<Token.Location, "endLine" | "endCol" | "endOffset">;
};

export function createLines(source: string): Lines {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  const find = (offset: number): { line: number; col: number } => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, col: offset - (starts[low] ?? 0) + 1 };
  };
  const end: Lines["end"] = (offset) => {
    const { line, col } = find(offset);
    return { endLine: line, endCol: col, endOffset: offset };
  };
  return {
    end,
    location: (startOffset, endOffset) => {
      const { line, col } = find(startOffset);
      return { startLine: line, startCol: col, startOffset, ...end(endOffset) };
    },
  };
}

/** An attribute as it is written; references in its value are not resolved. */
export type RawAttribute = { name: string; raw: string; start: number; end: number };

const ATTRIBUTE = /\s+([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

/** The attributes of a well-formed start tag, from the end of its name to its end. */
export function scanAttributes(source: string, from: number, to: number): RawAttribute[] {
  const found: RawAttribute[] = [];
  ATTRIBUTE.lastIndex = from;
  for (let match = ATTRIBUTE.exec(source); match && ATTRIBUTE.lastIndex <= to; match = ATTRIBUTE.exec(source)) {
    const [text, name = "", double, single] = match;
    const end = ATTRIBUTE.lastIndex;
    found.push({ name, raw: double ?? single ?? "", start: end - text.trimStart().length, end });
  }
  ATTRIBUTE.lastIndex = 0;
  return found;
}
