import { BrokenEnvironmentError } from "../domain/errors.ts";
import { type FailureCode, PageError } from "../domain/failure.ts";

/** What is known of requests outside of the browser, by the proxy that it has to use. */
export type Requests = {
  /** Why the last request to this URL failed, if it did; Chromium only sees that the proxy failed. */
  failureOf(url: string): PageError | undefined;
  /** False if no request for it has arrived. */
  hasReceived(url: string): boolean;
  /** Whether a server has been sent a request for it, for https anything at all, and has not responded. */
  isAwaiting(url: string): boolean;
};

/** Chromium's names of errors of a connection, here always the one to the proxy. */
const connectionError =
  /PROXY_CONNECTION_FAILED|EMPTY_RESPONSE|CONNECTION_(?:ABORTED|CLOSED|FAILED|REFUSED|RESET)|SOCKET_NOT_CONNECTED|INSUFFICIENT_RESOURCES/;

/** Chromium's names of network errors, with the failure code and a text for each. */
const meanings: [RegExp, FailureCode, string][] = [
  [/NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED/, "dns_error", "its name could not be resolved"],
  [/ERR_CERT_|ERR_SSL_|BAD_SSL|INSECURE_RESPONSE/, "tls_error", "its TLS certificate or handshake was not accepted"],
  [/TIMED_OUT/, "timeout", "it did not respond in time"],
  [/TOO_MANY_REDIRECTS/, "too_many_redirects", "it redirects too often or in a loop"],
  [
    /INVALID_HTTP_RESPONSE|CONTENT_DECODING|RESPONSE_HEADERS|INVALID_CHUNKED|CONTENT_LENGTH_MISMATCH|HTTP2|INVALID_REDIRECT|UNSAFE_REDIRECT|INVALID_RESPONSE/,
    "invalid_response",
    "its response is not valid HTTP",
  ],
];

/**
 * The failure of a navigation: a PageError, or a BrokenEnvironmentError if the browser could not ask the proxy, as on a
 * machine without free file descriptors.
 *
 * @param errorText Chromium's error, such as `net::ERR_CONNECTION_REFUSED`
 */
export function navigationFailure(
  errorText: string,
  url: string,
  isDownload: boolean,
  requests: Requests,
): PageError | BrokenEnvironmentError {
  if (isDownload || errorText === "net::ERR_ABORTED") {
    return new PageError("not_html", `${url} is not a document: it is a download or has no content.`);
  }
  const known = requests.failureOf(url);
  if (known) return known;
  if (connectionError.test(errorText) && !requests.hasReceived(url)) {
    const detail = `The browser could not connect to the proxy of this process for ${url} (${errorText}).`;
    return new BrokenEnvironmentError(`${detail} This machine may have run out of file descriptors or memory.`);
  }
  const [, code, reason] = meanings.find(([pattern]) => pattern.test(errorText)) ?? [
    undefined,
    "unreachable" as const,
    "no connection could be made",
  ];
  return new PageError(code, `${url} could not be loaded: ${reason} (${errorText}).`);
}
