import type { Encryptor } from "../accounts/encryption.ts";

/** What ends the mails of a receiver to one address: the address and a signature, so that nobody can end those of others. */
export function unsubscribeCode(encryptor: Encryptor, receiverId: string, address: string): string {
  return `${Buffer.from(address).toString("base64url")}.${encryptor.sign(`unsubscribe ${receiverId} ${address}`)}`;
}

/** @returns the address; undefined for a code that is not ours */
export function addressOfCode(encryptor: Encryptor, receiverId: string, code: string): string | undefined {
  const address = Buffer.from(code.split(".")[0] ?? "", "base64url").toString();
  return unsubscribeCode(encryptor, receiverId, address) === code ? address : undefined;
}

/** Where an address ends its mails; undefined without an address of the service. */
export function unsubscribeUrl(
  baseUrl: string | undefined,
  encryptor: Encryptor | undefined,
  receiverId: string,
  address: string,
): string | undefined {
  if (baseUrl === undefined || !encryptor) return undefined;
  return `${baseUrl}/unsubscribe/${receiverId}/${unsubscribeCode(encryptor, receiverId, address)}`;
}
