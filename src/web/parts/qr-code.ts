import { encode } from "uqr";
import { type Html, html } from "../html.ts";

/** Modules of light that a reader needs around the code (ISO/IEC 18004, 9.1). */
const QUIET_ZONE = 4;

/** A text as a QR code, black on white in the dark as well. @throws Error for more than about 2,900 bytes */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  // A row's dark modules that touch are one rectangle: gaps between them would be lines.
  const path = data.flatMap((row, y) =>
    [
      ...row
        .map((isDark) => (isDark ? "1" : "0"))
        .join("")
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
  );
  return html`<svg class="qr" role="img" aria-label=${label} viewBox=${`0 0 ${size} ${size}`} shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff" /><path d=${path.join("")} fill="#000" /></svg>`;
}
