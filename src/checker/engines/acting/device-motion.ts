import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** A page that does something when the device is moved. Whether that can be done otherwise, and turned off, a person sees. */
export async function findDeviceMotion(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const body = await limit.command(tab.call(main.world, moveDevice));
  if (body === null) return;
  const summary = "The page changes when the device that shows it is moved or turned.";
  const fault = { rule: "sv-device-motion" as const, id: body, review: true, summary };
  await report(walker, main, [fault], { most: 1, what: "findings" });
}

/** Runs in the page: tells it that the device was turned and moved. @returns its body, if that changed something */
function moveDevice(): number | null {
  const { idOf, watchChanges } = (globalThis as unknown as ToolsWorld).svTools;
  const body = Reflect.get(Document.prototype, "body", document) as HTMLElement | null;
  // Only pages that come over a safe connection are told.
  if (!body || typeof DeviceOrientationEvent === "undefined" || typeof DeviceMotionEvent === "undefined") return null;
  const changes = watchChanges();
  for (const degrees of [40, -40]) {
    const turned = { alpha: degrees, beta: degrees, gamma: degrees, absolute: false };
    const pull = { x: degrees, y: degrees, z: degrees };
    const moved = { acceleration: pull, accelerationIncludingGravity: pull, rotationRate: turned, interval: 16 };
    EventTarget.prototype.dispatchEvent.call(window, new DeviceOrientationEvent("deviceorientation", turned));
    EventTarget.prototype.dispatchEvent.call(window, new DeviceMotionEvent("devicemotion", moved));
  }
  const hasChanged = changes.take();
  changes.end();
  return hasChanged ? idOf(body) : null;
}
