import winston from "winston";

export type Logger = winston.Logger;

/**
 * A logger that writes one JSON object a line to stderr: stdout belongs to results.
 * `program` and the other fields are on every line; `logger.child({ report, requestId })` adds more.
 */
export function createLogger(level: string, fields: Record<string, unknown>): Logger {
  return winston.createLogger({
    level,
    defaultMeta: fields,
    format: winston.format.combine(
      winston.format.timestamp(),
      winston.format.errors({ stack: true }),
      winston.format.json(),
    ),
    transports: [new winston.transports.Console({ stderrLevels: ["error", "warn", "info", "debug"] })],
  });
}
