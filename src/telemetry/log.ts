import winston from "winston";

export type Logger = winston.Logger;

/**
 * Creates a logger that writes one JSON object per line to stderr; stdout is for results. Every line
 * has `fields`; `logger.child({ report, requestId })` adds more.
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
