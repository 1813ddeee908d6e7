/** True when a row was not written because a row that it refers to does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, "23503");
}

/** True when a row was not written because another one has the same key of this constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, "23505") && "constraint" in error && error.constraint === constraint;
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && "code" in error && error.code === code;
}
