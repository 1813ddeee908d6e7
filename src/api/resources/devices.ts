import { type Device, findDevice, listDevices } from "../../browser/devices.ts";
import type { Route, RouteResponse } from "../context.ts";
import type { Resource } from "../documents.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { list, one } from "../http/response/documents.ts";
import { notFound } from "../http/response/errors.ts";

export const devices: readonly Route[] = [
  {
    method: "GET",
    path: "/devices",
    id: "listDevices",
    tag: "Devices",
    summary: "List devices",
    description: "The default device comes first.",
    success: { kind: "list", type: "device" },
    access: "account",
    site: "none",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const all = await listDevices();
      const rows = all.slice(page.offset, page.offset + page.limit);
      return list(context, page, { rows, total: all.length }, deviceDocument);
    },
  },
  // Must come before the path with an id, which matches it, too.
  {
    method: "GET",
    path: "/devices/default",
    id: "getDefaultDevice",
    tag: "Devices",
    summary: "Get the default device",
    description: "Its id is empty: an empty string as device_id of a report or schedule means this device.",
    success: { kind: "one", type: "device" },
    access: "account",
    site: "none",
    handle: () => show(""),
  },
  {
    method: "GET",
    path: "/devices/:device_id",
    id: "getDevice",
    tag: "Devices",
    summary: "Get a device",
    success: { kind: "one", type: "device" },
    access: "account",
    site: "none",
    handle: ({ params }) => show(params.device_id ?? ""),
  },
];

/** @param id empty for the default device */
async function show(id: string): Promise<RouteResponse> {
  const device = await findDevice(id);
  if (!device) throw notFound("device");
  return one(deviceDocument(device));
}

function deviceDocument({ id, ...attributes }: Device): Resource<"device"> {
  return { id, type: "device", attributes };
}
