/** True when a row was not written because a row that it refers to does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "23503";
}

/** True when a row was not written because another one has the same key. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "23505";
}
