const said = /no space left on device|disk quota exceeded/i;

/** The line in which a program says that a disk is full; undefined if it says no such thing. */
export function noSpaceLine(message: string): string | undefined {
  return message
    .split("\n")
    .find((line) => said.test(line))
    ?.trim();
}
