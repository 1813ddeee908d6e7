import { type Encryptor, isSigned } from "../accounts/encryption.ts";

/** What ends the mails of a receiver to one address: the address and a signature, so that nobody can end those of others. */
export function unsubscribeCode(encryptor: Encryptor, receiverId: string, address: string): string {
  return `${Buffer.from(address).toString("base64url")}.${encryptor.sign(signed(receiverId, address))}`;
}

/** @returns the address; undefined for a code that is not ours */
export function addressOfCode(encryptor: Encryptor, receiverId: string, code: string): string | undefined {
  const [encoded = "", signature = "", ...rest] = code.split(".");
  const address = Buffer.from(encoded, "base64url").toString();
  return rest.length === 0 && isSigned(encryptor, signed(receiverId, address), signature) ? address : undefined;
}

const signed = (receiverId: string, address: string): string => `unsubscribe ${receiverId} ${address}`;

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
