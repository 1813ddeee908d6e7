import { networkInterfaces } from "node:os";

/** An IPv4 address of this machine that is not loopback, which is closed to guests; undefined if it has none. */
export function ownAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}
