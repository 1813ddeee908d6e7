import { logJson } from "html-conformance/log-text";
import winston from "winston";
import { errorText } from "../domain/error-text.ts";
import { countDuplicates } from "./log-deduplication.ts";

export type Logger = winston.Logger;

/**
 * Creates a logger that writes one JSON object per line to stderr; stdout is for results. Every line
 * has `fields`; `logger.child({ report, requestId })` adds more. A field `error` may be anything that was
 * thrown: its text is written, with the stack where the line's level is "error". Lines that repeat are counted.
 */
export function createLogger(level: string, fields: Record<string, unknown>): Logger {
  const written = new WeakSet<object>();
  const isNew = countDuplicates((line) => {
    written.add(line);
    logger.write(line);
  });
  const withoutDuplicates = winston.format((line) => (written.has(line) || isNew(line) ? line : false));
  const logger = winston.createLogger({
    level,
    defaultMeta: fields,
    format: winston.format.combine(
      withoutDuplicates(),
      winston.format.timestamp(),
      errorField(),
      winston.format.json(),
      safeLine(),
    ),
    transports: [new winston.transports.Console({ stderrLevels: ["error", "warn", "info", "debug"] })],
  });
  return logger;
}

/** JSON.stringify would write an Error as {}. */
const errorField = winston.format((info) => {
  if (info.error instanceof Error) info.error = textOf(info.error, info.level);
  return info;
});

/** Where winston keeps the text of a line. */
const MESSAGE = Symbol.for("message");

/** Lines quote sites and clients. */
const safeLine = winston.format((info) => {
  info[MESSAGE] = logJson(String(info[MESSAGE]));
  return info;
});

/** Adds fields to every line that a logger writes from now on, such as ids that were not known when it was made. */
export function addFields(logger: Logger, fields: Record<string, unknown>): void {
  logger.defaultMeta = { ...logger.defaultMeta, ...fields };
}

function textOf(error: Error, level: string): string {
  const text = errorText(error);
  if (level !== "error" || !error.stack) return text;
  return error.message === "" ? `${text}\n${error.stack}` : error.stack;
}
