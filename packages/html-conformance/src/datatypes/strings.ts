import type { Check } from "./text.ts";

export const nonEmptyProblem: Check = (value) => (value === "" ? "it is empty" : undefined);

export const lineBreakProblem: Check = (value) => {
  if (value.includes("\n")) return "a line feed is not allowed";
  return value.includes("\r") ? "a carriage return is not allowed" : undefined;
};

/** Every value is valid: the grammar alone restricts it, or its validity does not depend on the value. */
export const anything: Check = () => undefined;
