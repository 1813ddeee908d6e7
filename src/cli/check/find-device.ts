import { UsageError } from "../../domain/errors.ts";
import type { Client } from "../client.ts";

/** The id of a device, by its name or id. @throws UsageError that lists devices with similar names */
export async function findDevice(client: Client, wanted: string): Promise<string> {
  const devices = await client.all<"device">("/devices");
  const same = (name: string) => name.toLowerCase() === wanted.trim().toLowerCase();
  const found = devices.find(({ id, attributes }) => same(attributes.name) || (id !== "" && same(id)));
  if (found) return found.id;
  const words = wanted.toLowerCase().split(/\s+/);
  const alike = devices
    .map(({ attributes }) => attributes.name)
    .filter((name) => words.some((word) => word !== "" && name.toLowerCase().includes(word)));
  const names = (alike.length > 0 ? alike : devices.map(({ attributes }) => attributes.name)).slice(0, 12);
  throw new UsageError(
    `--device is ${JSON.stringify(wanted)}, which is not a device. Some devices are: ${names.join(", ")}.`,
  );
}
