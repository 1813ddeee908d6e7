/** Something that the standard calls a parse error, with its place in the source. */
export type ParseProblem = {
  /** The standard's code where it has one (13.2.2), else one of ours. */
  code: string;
  /** Offsets in the source. */
  start: number;
  end: number;
  /** The tag, element, attribute or character that is meant, where there is one. */
  name?: string;
};
