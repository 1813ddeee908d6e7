/** Where in a request an error is: JSON:API 1.0, section "Error Objects". */
export type ErrorSource = { pointer: string } | { parameter: string } | { header: string };

/** One violation. `code` is stable and snake_case, `detail` says what was received and what is allowed. */
export type Violation = {
  status: number;
  code: string;
  title: string;
  detail: string;
  source?: ErrorSource;
};
