import type { Check } from "./text.ts";

export const nonEmptyProblem: Check = (value) => (value === "" ? "it is empty" : undefined);

export const lineBreakProblem: Check = (value) => {
  if (value.includes("\n")) return "a line feed is not allowed";
  return value.includes("\r") ? "a carriage return is not allowed" : undefined;
};

/** Everything is right: the grammar alone says what it is, or what it is cannot be told from the value. */
export const anything: Check = () => undefined;
