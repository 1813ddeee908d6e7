/**
 * A finding as it is given out: the Nu checker's JSON, with the rule and the standard's section. Lines and
 * columns count from 1; the last ones are the last character's own.
 */
export type Message = {
  type: "error" | "info";
  /** Of "info": not an error, but most likely not intended. */
  subType?: "warning";
  /** Left out where it is the last line. */
  firstLine?: number;
  lastLine: number;
  /** Left out where it is the last column, on the same line. */
  firstColumn?: number;
  lastColumn: number;
  message: string;
  /** The source around it; line ends are LF, and what is meant begins at `hiliteStart`. */
  extract: string;
  hiliteStart: number;
  hiliteLength: number;
  /** Stable and kebab-case; what it is about may follow a slash. */
  rule: string;
  /** URL of the part of the standard. */
  section: string;
};

/** True for a remark that is not a finding. */
export function isNote({ type, subType }: Pick<Message, "type" | "subType">): boolean {
  return type === "info" && subType !== "warning";
}

export type Place = Pick<
  Message,
  "firstLine" | "lastLine" | "firstColumn" | "lastColumn" | "extract" | "hiliteStart" | "hiliteLength"
>;
