// The first module of each bundled program. Node's --enable-source-maps costs 20 ms per process, even without errors.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** @type {Map<string, SourceMap | undefined>} */
const maps = new Map();

// V8 calls this when a stack trace is read for the first time.
Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSource(frame)}`)].join("\n");

/** A line of a stack trace that refers to the source. @param {NodeJS.CallSite} frame */
function inSource(frame) {
  const text = String(frame);
  const url = frame.getFileName() ?? "";
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  if (!url.startsWith("file:") || line === null || column === null) return text;
  const file = fileURLToPath(url);
  const found = mapOf(file)?.findEntry(line - 1, column - 1);
  if (!found || !("originalSource" in found)) return text;
  const source = path.resolve(path.dirname(file), found.originalSource);
  return text.replace(`${url}:${line}:${column}`, `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`);
}

/** @param {string} file */
function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

/** @param {string} file */
function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}
