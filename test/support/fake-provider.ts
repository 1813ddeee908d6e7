import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** A provider that says of somebody what a test wants, also what no real one would. */
export type FakeProvider = {
  issuer: string;
  /** What it says of whoever signs in next. */
  claims: JWTPayload;
  /** What its address for claims says besides; undefined: it has none. */
  userInfo: Record<string, unknown> | undefined;
  /** Signs with a key that it does not publish. */
  isForged: boolean;
  /** Changes the parameters with which it leads back. */
  leadsBack: (parameters: URLSearchParams) => void;
  /** What the requests were that it got, without their secrets: `POST /token`. */
  requests: string[];
  /** Bodies of requests for tokens. */
  tokenRequests: { body: URLSearchParams; authorization: string | undefined }[];
  /** It takes each connection, and ends it. */
  isAway: boolean;
  /** With this status it responds to everything. */
  status: number | undefined;
  close(): Promise<void>;
};

/** Starts one whose page to sign in leads back at once. A code works once. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const [own, other] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const codes = new Map<string, { nonce: string }>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeProvider = {
    ...{
      issuer,
      claims: {},
      userInfo: undefined,
      isForged: false,
      leadsBack: () => {},
      requests: [],
      tokenRequests: [],
    },
    ...{ isAway: false, status: undefined },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function tokens(request: IncomingMessage): Promise<[number, object]> {
    const body = new URLSearchParams(await textOf(request));
    fake.tokenRequests.push({ body, authorization: request.headers.authorization });
    const begun = codes.get(body.get("code") ?? "");
    codes.delete(body.get("code") ?? "");
    if (!begun) return [400, { error: "invalid_grant" }];
    const { iss = issuer, aud = "site-validator", iat, exp = "5m" } = fake.claims;
    const id_token = await new SignJWT({ nonce: begun.nonce, ...fake.claims })
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .setIssuer(iss)
      .setAudience(aud)
      .setIssuedAt(iat)
      .setExpirationTime(exp)
      .sign(fake.isForged ? other.privateKey : own.privateKey);
    return [200, { access_token: "access", token_type: "Bearer", expires_in: 60, id_token }];
  }

  async function answer(request: IncomingMessage): Promise<[number, object | string]> {
    const { pathname, searchParams: query } = new URL(request.url ?? "", issuer);
    fake.requests.push(`${request.method} ${pathname}`);
    if (fake.status !== undefined) return [fake.status, {}];
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return [200, settings(issuer, fake.userInfo !== undefined)];
      case "/jwks":
        return [200, { keys: [{ ...(await exportJWK(own.publicKey)), alg: "RS256", use: "sig", kid: "1" }] }];
      case "/authorize": {
        const code = crypto.randomUUID();
        codes.set(code, { nonce: query.get("nonce") ?? "" });
        const back = new URL(query.get("redirect_uri") ?? "");
        back.search = new URLSearchParams({ code, state: query.get("state") ?? "", iss: issuer }).toString();
        fake.leadsBack(back.searchParams);
        return [303, back.href];
      }
      case "/token":
        return tokens(request);
      case "/userinfo":
        return [200, fake.userInfo ?? {}];
      default:
        return [404, {}];
    }
  }

  server.on("request", async (request, response) => {
    if (fake.isAway) return request.socket.destroy();
    const [status, body] = await answer(request);
    if (typeof body === "string") return response.writeHead(status, { location: body }).end();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return fake;
}

function settings(issuer: string, hasUserInfo: boolean): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    ...(hasUserInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
    end_session_endpoint: `${issuer}/end`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    authorization_response_iss_parameter_supported: true,
    code_challenge_methods_supported: ["S256"],
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
