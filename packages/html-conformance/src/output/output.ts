import type { CheckedFile } from "./checked-file.ts";

/** The program that has found something, and its version. */
export type Tool = { name: string; version: string };

/** Text that is made one file after the other: a tree of any size needs the memory of one file. */
export type Output = {
  begin: () => string;
  file: (checked: CheckedFile) => string;
  end: () => string;
};
