import { styleText } from "node:util";
import { visible } from "html-conformance/log-text";

/** How text is laid out where it is read. */
export type Terminal = {
  /** Columns; Infinity if text does not go to a terminal: then nothing is wrapped or cut. */
  width: number;
  colour: boolean;
};

/** The width assumed for narrower terminals, where indented text would have no room. */
const MIN_WIDTH = 60;

type Stream = { isTTY?: boolean; columns?: number };

/**
 * The terminal behind a stream. An option decides about colour; without it, terminals get colour unless NO_COLOR is set
 * (https://no-color.org) or the terminal is dumb.
 */
export function terminalOf(stream: Stream, environment: NodeJS.ProcessEnv, colour?: boolean): Terminal {
  const { isTTY = false, columns = 80 } = stream;
  const wanted = colour ?? (isTTY && !environment.NO_COLOR && environment.TERM !== "dumb");
  return { width: isTTY ? Math.max(MIN_WIDTH, columns) : Number.POSITIVE_INFINITY, colour: wanted };
}

const styles = { error: "red", warning: "yellow", info: "cyan", dim: "dim", bold: "bold", passed: "green" } as const;
export type Style = keyof typeof styles;

/** Text in a style, if the terminal has colour. */
export function styled({ colour }: Terminal, style: Style, text: string): string {
  return colour && text !== "" ? styleText(styles[style], text, { validateStream: false }) : text;
}

/** A site's text, which may have line breaks and tabs, on one line. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, " "));
}

/** Cuts text to one line of the terminal. @param indent columns that are already taken */
export function cut(text: string, { width }: Terminal, indent: number): string {
  const room = Math.max(1, width - indent);
  // Half of a surrogate pair is not a character.
  return text.length <= room ? text : `${text.slice(0, room - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Wraps text into lines of whole words. A word that is too long, such as a URL, gets a line of its own. */
export function wrap(text: string, { width }: Terminal, indent: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width - indent)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
