import { type Device, findDevice, listDevices } from "../../browser/devices.ts";
import type { Route } from "../context.ts";
import { list, one, type ResourceDocument } from "../http/documents.ts";
import { notFound } from "../http/errors.ts";
import { pageParameters } from "../http/query.ts";

export const devices: readonly Route[] = [
  {
    method: "GET",
    path: "/devices",
    access: "account",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const all = await listDevices();
      const rows = all.slice(page.offset, page.offset + page.limit);
      return list(context, page, { rows, total: all.length }, deviceDocument);
    },
  },
  {
    method: "GET",
    path: "/devices/:device_id",
    access: "account",
    handle: async ({ params }) => {
      const id = params.device_id ?? "";
      const device = await findDevice(id === "default" ? "" : id);
      if (!device) throw notFound("device");
      return one(deviceDocument(device));
    },
  },
];

function deviceDocument({ id, ...attributes }: Device): ResourceDocument {
  return { id, type: "device", attributes };
}
