/**
 * The message of an error. An AggregateError, such as that of a connection tried at several addresses, has
 * an empty message: then those of its errors.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  if (error instanceof AggregateError) return [...new Set(error.errors.map(errorText))].join("; ");
  return (error as NodeJS.ErrnoException).code ?? error.name;
}
