import { expect } from "chai";
import { navigationFailure } from "../../../src/browser/navigation-failure.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import { PageError } from "../../../src/domain/failure.ts";

const url = "https://example.com/";

describe("the failure of a navigation", () => {
  const requests = { failureOf: () => undefined, hasReceived: () => true, isAwaiting: () => false };
  const failure = (errorText: string, isDownload = false) => navigationFailure(errorText, url, isDownload, requests);

  for (const [text, code] of [
    ["net::ERR_NAME_NOT_RESOLVED", "dns_error"],
    ["net::ERR_CERT_DATE_INVALID", "tls_error"],
    ["net::ERR_SSL_PROTOCOL_ERROR", "tls_error"],
    ["net::ERR_TIMED_OUT", "timeout"],
    ["net::ERR_TOO_MANY_REDIRECTS", "too_many_redirects"],
    ["net::ERR_INVALID_HTTP_RESPONSE", "invalid_response"],
    ["net::ERR_CONTENT_DECODING_FAILED", "invalid_response"],
    ["net::ERR_HTTP2_PROTOCOL_ERROR", "invalid_response"],
    ["net::ERR_UNSAFE_REDIRECT", "invalid_response"],
    ["net::ERR_ADDRESS_UNREACHABLE", "unreachable"],
    ["net::ERR_ABORTED", "not_html"],
  ] as const)
    it(`is ${code} for ${text}`, () => {
      expect(failure(text)).to.be.instanceOf(PageError).with.property("code", code);
    });

  it("is that of a document for a download, whatever the browser says", () => {
    expect(failure("net::ERR_TIMED_OUT", true)).to.have.property("code", "not_html");
  });

  it("is what the proxy knows of the request", () => {
    const known = new PageError("timeout", "It did not respond.");
    const knowing = { ...requests, failureOf: () => known };
    expect(navigationFailure("net::ERR_EMPTY_RESPONSE", url, false, knowing)).to.equal(known);
  });

  it("is the machine's if no request for it has arrived at the proxy", () => {
    const text = "net::ERR_PROXY_CONNECTION_FAILED";
    expect(navigationFailure(text, url, false, { ...requests, hasReceived: () => false })).to.be.instanceOf(
      BrokenEnvironmentError,
    );
    expect(failure(text)).to.have.property("code", "unreachable");
  });
});
