import { v5 as uuidV5 } from "uuid";
import { deviceKey, variantOf } from "../domain/addresses/page-variant.ts";
import { PageError } from "../domain/failure.ts";

/** A viewport to emulate, named as the API names its fields. */
export type Device = {
  /** A UUID derived from the name, so that it is the same everywhere; empty for the default device. */
  id: string;
  name: string;
  /** Viewport in CSS pixels. */
  width: number;
  height: number;
  device_scale_factor: number;
  is_mobile: boolean;
  is_landscape: boolean;
  has_touch: boolean;
  /** Empty: the browser's own. */
  user_agent: string;
};

/** The device of a report that names none. */
export const defaultDevice: Device = {
  id: "",
  name: "Default",
  width: 800,
  height: 600,
  device_scale_factor: 1,
  is_mobile: false,
  is_landscape: false,
  has_touch: false,
  user_agent: "",
};

/** Never change this: the device ids in stored reports are derived from it. */
const NAMESPACE = "5f1ab0c4-6a0e-4c5d-9d1c-6c5f7d1f3a52";

let known: Promise<Map<string, Device>> | undefined;

/** All devices: the default one first, the others in puppeteer's order. */
export async function listDevices(): Promise<Device[]> {
  return [...(await allDevices()).values()];
}

/** The device with this id (empty: the default device), or undefined. */
export async function findDevice(id: string): Promise<Device | undefined> {
  return (await allDevices()).get(id.toLowerCase());
}

/** The keys of devices in URLs (page-variant.ts). @param ids one that is not known is a key of no device, whose pages fail */
export async function keysOfDevices(ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map(async (id) => deviceKey((await findDevice(id))?.name ?? id)));
}

/** The device with this key (page-variant.ts), or undefined. */
async function findByKey(key: string): Promise<Device | undefined> {
  return [...(await allDevices()).values()].find(({ name }) => deviceKey(name) === key);
}

type DeviceSettings = { deviceId: string; deviceRotated: boolean; userAgent?: string };

/**
 * The device that a report names; the default one when the list no longer has it. A user agent of the report's own
 * replaces that of the device.
 */
export async function deviceFor({ deviceId, deviceRotated, userAgent }: DeviceSettings): Promise<Device> {
  const device = withUserAgent((await findDevice(deviceId)) ?? defaultDevice, userAgent);
  return deviceRotated ? rotated(device) : device;
}

/**
 * The further device that the URL of a page names; undefined for the report's own.
 *
 * @throws PageError for one that is not known, such as of a newer version
 */
export async function deviceOfVariant(
  url: string,
  { userAgent }: Pick<DeviceSettings, "userAgent">,
): Promise<Device | undefined> {
  const { device: key } = variantOf(url);
  if (key === undefined) return undefined;
  const known = await findByKey(key);
  if (!known) throw new PageError("unreadable", `${key} is not a device: GET /api/v1/devices lists them.`);
  return withUserAgent(known, userAgent);
}

function withUserAgent(device: Device, userAgent: string | undefined): Device {
  return userAgent ? { ...device, user_agent: userAgent } : device;
}

/** The device turned by 90 degrees. */
export function rotated(device: Device): Device {
  return { ...device, width: device.height, height: device.width, is_landscape: !device.is_landscape };
}

function allDevices(): Promise<Map<string, Device>> {
  known ??= loadDevices();
  return known;
}

async function loadDevices(): Promise<Map<string, Device>> {
  const { default: list } = await import("./known-devices.json", { with: { type: "json" } });
  const devices = list.map((device): Device => ({ id: uuidV5(device.name, NAMESPACE), ...device }));
  return new Map([defaultDevice, ...devices].map((device) => [device.id, device]));
}
