import { expect } from "chai";
import { PageError } from "../../../src/domain/failure.ts";
import { isConnectionReset, networkFailure } from "../../../src/net/network-failure.ts";

const url = "https://example.com/";
const withCode = (code: string, message = "") => Object.assign(new Error(message), { code });

describe("the failure of a request", () => {
  for (const [code, failure] of [
    ["ENOTFOUND", "dns_error"],
    ["EAI_AGAIN", "dns_error"],
    ["EAI_FAIL", "dns_error"],
    ["EAI_NODATA", "dns_error"],
    ["EAI_NONAME", "dns_error"],
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["UND_ERR_HEADERS_TIMEOUT", "timeout"],
    ["UND_ERR_BODY_TIMEOUT", "timeout"],
    ["ETIMEDOUT", "timeout"],
    ["UND_ERR_HEADERS_OVERFLOW", "invalid_response"],
    ["HPE_INVALID_CONSTANT", "invalid_response"],
    ["UND_ERR_RESPONSE_EXCEEDED_MAX_SIZE", "too_large"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_error"],
    ["ECONNREFUSED", "unreachable"],
  ] as const)
    it(`is ${failure} for ${code}`, () => {
      expect(networkFailure(withCode(code), url).code).to.equal(failure);
    });

  it("is told by the message where there is no code", () => {
    expect(networkFailure(new Error("ssl3 certificate unknown"), url).code).to.equal("tls_error");
    expect(networkFailure("refused", url).code).to.equal("unreachable");
  });

  it("is that of the first address of a host with several", () => {
    const all = new AggregateError([withCode("ETIMEDOUT"), withCode("ECONNREFUSED")]);
    expect(networkFailure(all, url).code).to.equal("timeout");
  });

  it("stays as it is where it is known", () => {
    const known = new PageError("too_large", "It is too large.");
    expect(networkFailure(known, url)).to.equal(known);
  });

  it("may be a connection that was closed meanwhile", () => {
    for (const code of ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])
      expect(isConnectionReset(withCode(code)), code).to.equal(true);
    expect(isConnectionReset(withCode("ECONNREFUSED"))).to.equal(false);
    expect(isConnectionReset(new Error("closed"))).to.equal(false);
  });
});
