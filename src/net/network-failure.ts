import { type FailureCode, PageError } from "../domain/failure.ts";

const byCode: Record<string, FailureCode> = {
  ENOTFOUND: "dns_error",
  EAI_AGAIN: "dns_error",
  EAI_FAIL: "dns_error",
  EAI_NODATA: "dns_error",
  EAI_NONAME: "dns_error",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ETIMEDOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "invalid_response",
  UND_ERR_RESPONSE_EXCEEDED_MAX_SIZE: "too_large",
};

const sentences: Partial<Record<FailureCode, string>> = {
  dns_error: "could not be reached: the host name could not be resolved",
  unreachable: "could not be reached: no connection to the server could be made, or it was closed without a response",
  tls_error: "could not be reached: the server's TLS certificate or handshake was not accepted",
  timeout: "could not be reached: the server did not respond in time",
  invalid_response: "responded with something that is not valid HTTP",
};

/** Converts the error of a failed request to a PageError. A PageError stays as it is. */
export function networkFailure(error: unknown, url: string): PageError {
  if (error instanceof PageError) return error;
  const cause = rootCause(error);
  const code = failureCode(cause);
  const received = [cause.code, cause.message].filter(Boolean).join(", ");
  return new PageError(code, `${url} ${sentences[code] ?? "could not be read"} (${received}).`, { cause: error });
}

/**
 * True for a connection that was closed during the request, such as a reused one that the server was just closing. The
 * request may be retried.
 */
export function isConnectionReset(error: unknown): boolean {
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(rootCause(error).code ?? "");
}

function failureCode({ code = "", name, message }: CodedError): FailureCode {
  const known = byCode[code];
  if (known) return known;
  if (code.startsWith("HPE_") || name === "HTTPParserError") return "invalid_response";
  const isTls = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/.test(code);
  return isTls || /certificate|SSL routines/i.test(message) ? "tls_error" : "unreachable";
}

type CodedError = Error & { code?: string };

/** A host with several addresses has an error for each. The first one is used. */
function rootCause(error: unknown): CodedError {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  return error instanceof Error ? error : new Error(String(error));
}
