import { once } from "node:events";
import type { Duplex } from "node:stream";
import { connect, createSecureContext, TLSSocket } from "node:tls";
import { PageError } from "../domain/failure.ts";
import { createOwnCertificate } from "./certificate.ts";
import { serverName, type TlsTrust, tlsOf, tlsOptions, withoutCertificates } from "./tls-trust.ts";

/** A server, and whether it may be shown a client certificate. */
type Target = { host: string; port: number; shows: boolean };

/** Ends the TLS of a browser, and begins another one with the server: the browser knows neither our authorities nor our keys. */
export type TlsEnd = {
  /** What the browser is told, so that it accepts our certificate and no other one (certificate.ts). */
  spki: string;
  /**
   * Connects a browser to a server. Its first bytes have not been read yet.
   *
   * @param dial makes a connection to the server
   * @returns the two ends whose bytes are to be exchanged
   * @throws PageError or the error of the handshake
   */
  connect(browser: Duplex, to: Target, dial: () => Promise<Duplex>): Promise<[Duplex, Duplex]>;
};

/** The first byte of TLS: a record of the type "handshake". */
const HANDSHAKE = 0x16;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const PROTOCOLS = ["h2", "http/1.1"];
/** What a chain lacks that does not lead to one of the given authorities. All other errors are about one that does. */
const OTHER_AUTHORITY = new Set([
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_UNTRUSTED"],
]);

/**
 * TLS is ended for hosts with a client certificate, for those whose certificate is not verified, and for those whose
 * certificate is of a given authority. All others are the browser's own business, as without any of that.
 */
export function createTlsEnd(trust: TlsTrust): TlsEnd {
  const { cert, key, spki } = createOwnCertificate(new Date());
  const secureContext = createSecureContext({ cert, key });
  /** Ports of hosts whose certificates are of other authorities. */
  const others = new Set<string>();

  const bare = withoutCertificates(trust);

  const handshake = async (
    socket: Duplex,
    { host, port, shows }: Target,
    from: "all" | "own",
    protocols = PROTOCOLS,
  ) => {
    const options = tlsOptions(shows ? trust : bare, host, port, from);
    const rejectUnauthorized = from === "all" && options.rejectUnauthorized;
    const name = { servername: serverName(host), host: host.replace(/^\[(.*)\]$/, "$1") };
    const server = connect({ socket, ...name, ALPNProtocols: protocols, ...options, rejectUnauthorized });
    // Whoever relays the bytes listens, too; until then an error must not end this process.
    server.on("error", () => {});
    await secured(server, "secureConnect", `${host}:${port}`);
    return server;
  };
  /** @returns undefined for a server whose certificate is of another authority */
  const withServer = async (to: Target, dial: () => Promise<Duplex>) => {
    const { host, port, shows } = to;
    const { certificate, insecure } = tlsOf(shows ? trust : bare, host, port);
    if (certificate || insecure) return handshake(await dial(), to, "all");
    const target = `${host}:${port}`;
    if (trust.authorities.length === 0 || others.has(target)) return undefined;
    const server = await handshake(await dial(), to, "own");
    if (server.authorized) return server;
    const code = String(server.authorizationError);
    server.destroy();
    if (!OTHER_AUTHORITY.has(code)) throw Object.assign(new Error(`the certificate is refused: ${code}`), { code });
    others.add(target);
    return undefined;
  };

  return {
    spki,
    connect: async (browser, to, dial) => {
      const { host, port } = to;
      if ((await firstByte(browser)) !== HANDSHAKE) return [browser, await dial()];
      const server = await withServer(to, dial);
      if (!server) return [browser, await dial()];
      const spoken = server.alpnProtocol || "http/1.1";
      const ended = new TLSSocket(
        browser as ConstructorParameters<typeof TLSSocket>[0],
        {
          isServer: true,
          secureContext,
          ALPNCallback: ({ protocols }: { protocols: string[] }) =>
            [spoken, "http/1.1"].find((one) => protocols.includes(one)),
        } as ConstructorParameters<typeof TLSSocket>[1],
      );
      ended.on("error", () => {});
      // A server that refuses a client certificate may say so only now. Its error comes before the browser's end is closed,
      // so that the two can be told apart.
      const left = Promise.withResolvers<never>();
      server.once("close", () => left.reject(server.errored ?? closedEarly()));
      left.promise.catch(() => {});
      await Promise.race([secured(ended, "secure", `${host}:${port}`), left.promise]);
      const wanted = ended.alpnProtocol || "http/1.1";
      if (wanted === spoken) return [ended, server];
      // A browser that opens a WebSocket does not speak the HTTP/2 that this server prefers.
      const again = await handshake(await dial(), to, "all", [wanted]);
      server.destroy();
      return [ended, again];
    },
  };
}

async function firstByte(stream: Duplex): Promise<number | undefined> {
  await once(stream, "readable");
  const first: Buffer | null = stream.read();
  if (first) stream.unshift(first);
  return first?.[0];
}

function closedEarly(): Error {
  return new Error("the connection was closed during the TLS handshake");
}

/** Waits for the end of a handshake. */
async function secured(socket: TLSSocket, event: "secureConnect" | "secure", target: string): Promise<void> {
  const late = setTimeout(
    () => socket.destroy(new PageError("timeout", `${target} did not finish its TLS handshake in time.`)),
    HANDSHAKE_TIMEOUT_MS,
  );
  const closed = Promise.withResolvers<never>();
  const onClose = (): void => closed.reject(closedEarly());
  socket.once("close", onClose);
  closed.promise.catch(() => {});
  try {
    await Promise.race([once(socket, event), closed.promise]);
  } finally {
    clearTimeout(late);
    socket.off("close", onClose);
  }
}
