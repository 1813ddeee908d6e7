import type { Resource } from "../../api/documents.ts";
import { UsageError } from "../../domain/errors.ts";
import type { Client } from "../client.ts";

/** The ids of devices, by their names or ids. @throws UsageError that lists devices with similar names */
export async function findDevices(client: Client, wanted: readonly string[]): Promise<string[]> {
  if (wanted.length === 0) return [];
  const devices = await client.all<"device">("/devices");
  const ids = wanted.map((name) => findDevice(devices, name));
  // The default device has no id of its own, so it is the first one wherever it is named.
  return ids.includes("") ? ["", ...ids.filter((id) => id !== "")] : ids;
}

function findDevice(devices: readonly Resource<"device">[], wanted: string): string {
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
