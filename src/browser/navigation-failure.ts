import { type FailureCode, PageError } from "../domain/failure.ts";

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
 * The failure of a navigation.
 *
 * @param errorText Chromium's error, such as `net::ERR_CONNECTION_REFUSED`
 * @param known the proxy's reason; Chromium only sees that the proxy failed
 */
export function navigationFailure(
  errorText: string,
  url: string,
  isDownload: boolean,
  known: PageError | undefined,
): PageError {
  if (isDownload || errorText === "net::ERR_ABORTED") {
    return new PageError("not_html", `${url} is not a document: it is a download or has no content.`);
  }
  if (known) return known;
  const [, code, reason] = meanings.find(([pattern]) => pattern.test(errorText)) ?? [
    undefined,
    "unreachable" as const,
    "no connection could be made",
  ];
  return new PageError(code, `${url} could not be loaded: ${reason} (${errorText}).`);
}
