import { X509Certificate } from "node:crypto";
import path from "node:path";
import { createSecureContext } from "node:tls";
import { UsageError } from "../domain/errors.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { readTlsHost, readTlsHosts, type TlsTrust } from "./tls-trust.ts";

/** What an operator says of TLS, with the names of files. */
export type TlsSettings = {
  /** Files with certificates of further authorities, as PEM. */
  caFiles: readonly string[];
  /** Each as `host=certificate file,key file`, or with one file that has both. */
  clientCertificates: readonly string[];
  /** Hosts whose certificates are not verified. */
  insecureTlsHosts: readonly string[];
};

/**
 * Reads the files.
 *
 * @returns undefined when nothing is set
 * @throws UsageError that names the file, and what is wrong with it
 */
export async function readTlsTrust(settings: TlsSettings): Promise<TlsTrust | undefined> {
  const { caFiles, clientCertificates, insecureTlsHosts } = settings;
  if (caFiles.length + clientCertificates.length + insecureTlsHosts.length === 0) return undefined;
  return {
    authorities: await Promise.all(caFiles.map(readAuthorities)),
    clientCertificates: new Map(await Promise.all(clientCertificates.map(readClientCertificate))),
    insecureHosts: readTlsHosts(insecureTlsHosts),
  };
}

/** Reads a client certificate's setting. @returns its files as absolute paths @throws UsageError naming the entry that is wrong */
export function splitClientCertificate(entry: string, folder = "."): { host: string; files: string[] } {
  const [, name = "", text = ""] = /^([^=]+)=(.+)$/.exec(entry.trim()) ?? [];
  const files = text.split(",").map((file) => file.trim());
  if (name === "" || files.length > 2 || files.includes(""))
    throw new UsageError(
      `${JSON.stringify(entry)} is not a host with files, such as shop.example.org=client.pem,client-key.pem.`,
    );
  return { host: readTlsHost(name.trim()), files: files.map((file) => path.resolve(folder, file)) };
}

/** The setting again, with absolute paths. @throws UsageError naming the entry that is wrong */
export function inFolder(entry: string, folder = "."): string {
  const { host, files } = splitClientCertificate(entry, folder);
  return `${host}=${files.join(",")}`;
}

async function readAuthorities(file: string): Promise<string> {
  const pem = await readPem(file, "certificate authorities");
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw unusable(file, "certificate authorities", "it has no certificate in PEM format");
  for (const one of certificates) {
    try {
      new X509Certificate(one);
    } catch (error) {
      throw unusable(file, "certificate authorities", (error as Error).message);
    }
  }
  return certificates.join("\n");
}

async function readClientCertificate(entry: string): Promise<[string, { cert: string; key: string }]> {
  const { host, files } = splitClientCertificate(entry);
  const [certFile = "", keyFile = certFile] = files;
  const [cert, key] = [await readPem(certFile, "client certificate"), await readPem(keyFile, "client certificate")];
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    // OpenSSL's message quotes neither of them.
    throw unusable(files.join(" and "), "client certificate", (error as Error).message);
  }
  return [host, { cert, key }];
}

async function readPem(file: string, what: string): Promise<string> {
  const bytes = await readRegularFile(file).catch((error: Error) => {
    throw unusable(file, what, error.message);
  });
  return bytes.toString("utf8");
}

function unusable(file: string, what: string, reason: string): UsageError {
  return new UsageError(`The ${what} in ${file} cannot be used: ${reason}. Name files in PEM format.`);
}
