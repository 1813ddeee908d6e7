/** A fault in CSS; line and column count from 1 in the text. */
export type CssProblem = { rule: string; message: string; line: number; column: number };
