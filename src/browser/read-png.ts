import { PNG } from "pngjs";
import type { Pixels } from "../domain/acting/pictures.ts";

/** Reads a picture that the browser took. @throws Error for what is no PNG */
export function readPng(bytes: Buffer): Pixels {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, data };
}
