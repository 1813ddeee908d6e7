import { v5 as uuidV5 } from "uuid";

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

type DeviceSettings = { deviceId: string; deviceRotated: boolean; userAgent?: string };

/**
 * The device that a report names; the default one when the list no longer has it. A user agent of the report's own
 * replaces that of the device.
 */
export async function deviceFor({ deviceId, deviceRotated, userAgent }: DeviceSettings): Promise<Device> {
  const known = (await findDevice(deviceId)) ?? defaultDevice;
  const device = userAgent ? { ...known, user_agent: userAgent } : known;
  return deviceRotated ? rotated(device) : device;
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
