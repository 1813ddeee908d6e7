import { type Html, html } from "../html.ts";

/** The class that gives an icon its colour, and what it draws: 16 by 16, with lines in the colour of text. */
const icons = {
  critical: ["impact critical", "M8 1l7 7-7 7-7-7z"],
  serious: ["impact serious", "M8 1.5l7 12.5H1z"],
  moderate: ["impact moderate", "M2.5 2.5h11v11h-11z"],
  minor: ["impact minor", "M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5z"],
  markup: ["impact markup", "M6 3L1.5 8 6 13M10 3l4.5 5-4.5 5"],
  passed: ["good", "M8 1.25a6.75 6.75 0 1 0 0 13.5a6.75 6.75 0 1 0 0-13.5zM5 8.25l2.25 2.25L11 6"],
  failed: ["bad", "M8 1.25a6.75 6.75 0 1 0 0 13.5a6.75 6.75 0 1 0 0-13.5zM5.5 5.5l5 5m0-5l-5 5"],
  alert: ["warn", "M5.2 1.25h5.6l3.95 3.95v5.6l-3.95 3.95H5.2L1.25 10.8V5.2zM8 4.5v4M8 10.75v.75"],
  running: ["accent", "M8 1.25a6.75 6.75 0 1 0 0 13.5a6.75 6.75 0 1 0 0-13.5zM8 4v4l2.5 2"],
  ended: ["", "M8 1.25a6.75 6.75 0 1 0 0 13.5a6.75 6.75 0 1 0 0-13.5zM8 7a1 1 0 1 0 0 2a1 1 0 1 0 0-2z"],
  previous: ["", "M10 3L5 8l5 5"],
  next: ["", "M6 3l5 5-5 5"],
  down: ["", "M4 6l4 4 4-4"],
  more: ["", "M8 13V3M3.5 7.5L8 3l4.5 4.5"],
  less: ["", "M8 3v10M3.5 8.5L8 13l4.5-4.5"],
  share: ["", "M10.5 2.5h3v3M13.5 2.5L8 8M6.5 3.5h-4v10h10v-4"],
  export: ["", "M8 2v8M4.5 6.5L8 10l3.5-3.5M2.5 13.5h11"],
  again: ["", "M13.5 8A5.5 5.5 0 1 1 11.75 4M12 1.5V4.25H9.25"],
  copy: ["", "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3"],
  out: ["", "M6 3h7v7M13 3L4 12"],
  content: ["", "M2.5 13.5l.75-3.25 7.5-7.5 2.5 2.5-7.5 7.5z"],
  template: ["", "M2.5 2.5h11v11h-11zM2.5 6h11M6.5 6v7.5"],
  design: ["", "M8 1.75c2.75 3.25 4.25 5.25 4.25 7.5a4.25 4.25 0 0 1-8.5 0c0-2.25 1.5-4.25 4.25-7.5z"],
  verified: ["good", "M8 1.25a6.75 6.75 0 1 0 0 13.5a6.75 6.75 0 1 0 0-13.5zM5 8.25l2.25 2.25L11 6"],
  estimated: [
    "",
    "M2.5 6.75c1.75-2.5 3.75-2 5.5-.75s3.75 1.75 5.5-.75M2.5 11c1.75-2.5 3.75-2 5.5-.75S11.75 12 13.5 9.5",
  ],
  not_verified: [
    "",
    "M8 1.25a6.75 6.75 0 1 0 0 13.5a6.75 6.75 0 1 0 0-13.5zM6 6.5a2 2 0 1 1 3 1.6c-.75.5-1 .75-1 1.4M8 11.25v.75",
  ],
  person: ["", "M8 2a2.75 2.75 0 1 0 0 5.5a2.75 2.75 0 1 0 0-5.5zM2.75 14c.5-3 2.5-4.25 5.25-4.25s4.75 1.25 5.25 4.25"],
  guest: [
    "",
    "M3 2.5h10v11H3zM8 5.25a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3zM5.5 11.25c.5-1.25 1.25-1.75 2.5-1.75s2 .5 2.5 1.75",
  ],
  mail: ["", "M1.75 3.5h12.5v9H1.75zM2 4l6 5 6-5"],
  channel: ["", "M2 3h12v8H7.5l-3 2.5V11H2z"],
  webhook: ["", "M9.75 2v3.5M6.25 2v3.5M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2.5"],
  key: ["", "M5 8.25a2.75 2.75 0 1 0 0 5.5a2.75 2.75 0 1 0 0-5.5zM7 9l6.25-6.25M11 5l2 2"],
  lock: ["", "M3.5 7h9v6.5h-9zM5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7"],
  clock: ["", "M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 1 0 0-12.5zM8 4.25V8l2.5 1.5"],
  cluster: ["", "M8 1.5l5.75 3.25v6.5L8 14.5l-5.75-3.25v-6.5z"],
  paused: ["", "M5.5 3.5v9M10.5 3.5v9"],
  pin: ["", "M5.5 2h5l-.75 5L12 9.5H4L6.25 7zM8 9.5v5"],
  mute: ["", "M4 11.5h8.5L11 9V7a3 3 0 0 0-5.7-1.3M4.7 7.5L4 11.5M7 13.75h2M2 2l12 12"],
} as const;

export type Icon = keyof typeof icons;

/** A small drawing. @param label read out where no words stand beside it */
export function icon(name: Icon, label?: string): Html {
  const [tone, path] = icons[name];
  const role = label === undefined ? { "aria-hidden": "true" } : { role: "img", "aria-label": label };
  return html`<svg class=${`i ${tone}`.trimEnd()} viewBox="0 0 16 16" ...${role}><path d=${path} /></svg>`;
}

const LOGO = "M7 6.5L3.5 12 7 17.5M17 6.5l3.5 5.5-3.5 5.5M8.5 12.5l2.5 2.5 4.5-6";

export function logo(): Html {
  return html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" /><path d=${LOGO} /></svg>`;
}

/** A button with a panel below it: opened by a click or a key, closed by script with Escape or a click elsewhere. */
export function menu(summary: Html, content: Html, classes = ""): Html {
  return html`<details class=${`menu ${classes}`.trimEnd()}>
    <summary class="button quiet">${summary}</summary>
    <div class="grid">${content}</div>
  </details>`;
}
