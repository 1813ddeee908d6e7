import type { Setting } from "./setting.ts";
import { hideSchema, prepareSchema, statesSchema, waitForSchema } from "./steps.ts";
import { flag } from "./values.ts";

const MAX_FURTHER_DEVICES = 5;

/** How pages are opened, and what is done on them before they are checked. */
export const opened = {
  basicAuthId: {
    text: "Id of stored credentials: for Basic HTTP Authentication, headers and cookies that the site needs, or how somebody signs in.",
    schema: { type: "string", maxLength: 63, default: "" },
    series: "credentials",
    form: {
      group: "signIn",
      label: "Credentials",
      help: "For sites that ask for a user name and password, or behind a form to sign in. They are stored on the page Credentials.",
      choices: "credentials",
    },
    example: "0a1b2c3d",
  },
  basicAuthSecret: {
    text: "Name of a Secret of type kubernetes.io/basic-auth in the same namespace, for a site behind Basic HTTP Authentication. Its key headers may contain headers to send with every request, one Name: value per line; its key sign-in may contain how somebody signs in, a recording of Chrome's DevTools Recorder or its steps as YAML. With either, the username may be empty. The credentials are sent only to the host in the Secret's annotation sitevalidation.io/host, which is required.",
    schema: { type: "string", maxLength: 253, pattern: "^([a-z0-9]([-.a-z0-9]*[a-z0-9])?)?$", default: "" },
    series: "credentials",
    // Callers of the API may not choose among the cluster's Secrets.
    access: { create: false, read: false },
    example: "preview",
  },
  deviceId: {
    text: "Id of the device to emulate; empty for the default device.",
    schema: { type: "string", maxLength: 63, default: "" },
    series: "device",
    // A relationship in responses.
    access: { read: false },
    form: { group: "browser", label: "Device", choices: "devices", after: "" },
    example: "iphone-13",
  },
  devices: {
    text: "Ids of further devices. Each page is checked on each of them as well, in a browser, as a page of its own; each costs as much as a page.",
    schema: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 63 },
      maxItems: MAX_FURTHER_DEVICES,
      default: [],
    },
    series: "further devices",
    list: "commas",
    option: {
      flag: "--device",
      value: "name",
      text: 'device to emulate, by name or id, such as `"iPhone 15"`; may be repeated: each page is checked [on each device](states.md#several-devices)',
      // The first one is deviceId.
      schema: {
        type: "array",
        items: { type: "string", minLength: 1 },
        minItems: 1,
        maxItems: 1 + MAX_FURTHER_DEVICES,
      },
      after: "userAgent",
    },
    form: {
      group: "browser",
      label: "Further devices",
      help: "Each page is checked for accessibility on each of them, too, and counts as a page there.",
      choices: "devices",
      after: "deviceRotated",
    },
    example: ["iphone-13"],
  },
  prepare: {
    text: "What is done in the browser on each page before it is checked, such as closing a banner: recordings of Chrome's DevTools Recorder, or steps by hand in the same form. Everybody who can read the report can see the steps. If one cannot be done the page is checked as it is then, with the notice not_prepared.",
    schema: { ...prepareSchema, default: [] },
    series: "what is done on pages first",
    option: {
      value: "file",
      text: "[do this on each page](states.md) before it is checked: a recording of Chrome's DevTools Recorder, or its steps as YAML or JSON; may be repeated",
      trusted: true,
      after: "signInPicture",
    },
    form: {
      group: "doing",
      label: "Steps on every page",
      help: "Close a banner, open a menu: a recording of Chrome's Recorder (its JSON), or steps as YAML. Everybody who can read the report can see them.",
      rows: 4,
    },
    example: [{ steps: [{ type: "click", selectors: [["#accept"]] }] }],
  },
  states: {
    text: "States in which pages are checked for accessibility once more, such as menu-open. A page in a state is listed, counted and paid like a page of its own, under its URL with #:~:state=menu-open; findings are compared with those of the same state only. A state whose steps cannot be done fails with steps_failed.",
    schema: { ...statesSchema, default: [] },
    series: "states of pages",
    option: {
      value: "file",
      text: "check pages in these [states](states.md), too: a file with a list of names and steps, as YAML or JSON; may be repeated",
      trusted: true,
      after: "signInPicture",
    },
    form: {
      group: "doing",
      label: "States in which pages are checked, too",
      help: 'A list of names and steps, for example - {name: menu-open, url: /, steps: [{type: click, selectors: ["#menu"]}]}. Each page in a state costs a check.',
      rows: 4,
    },
    example: [{ name: "menu-open", steps: [{ type: "click", selectors: [["#menu"]] }] }],
  },
  waitFor: {
    text: "What has to be there before a page is read in the browser: content that comes late.",
    schema: { ...waitForSchema, default: {} },
    series: "what is waited for",
    nullMeans: "nothing",
    option: {
      value: "selector",
      text: "wait until this element is visible before a page is read in the browser",
      after: "signInPicture",
    },
    members: {
      selector: {
        form: {
          group: "doing",
          label: "Wait for an element",
          help: "A CSS selector of something that comes late, for example main .ready",
        },
      },
      text: { form: { group: "doing", label: "Wait for a text" } },
      seconds: { form: { group: "doing", label: "Seconds to wait at most" } },
    },
    example: { selector: "main .ready" },
  },
  hide: {
    text: "CSS selectors of elements that accessibility checks leave out, with all that is in them, such as the chat of somebody else.",
    schema: { ...hideSchema, default: [] },
    series: "what is hidden",
    option: {
      value: "selector",
      text: "leave this element out of accessibility checks; may be repeated",
      after: "signInPicture",
    },
    form: {
      group: "doing",
      label: "Leave out elements",
      help: "CSS selectors, one per line, for example .chat: accessibility checks leave out what is in them.",
      rows: 2,
    },
    example: [".chat"],
  },
  deviceRotated: {
    text: "Turn the emulated viewport by 90 degrees.",
    schema: flag(false),
    series: "device",
    option: { name: "rotated", text: "turn the device by 90 degrees", after: "devices" },
    form: { group: "browser", label: "Turn the device by 90 degrees", after: "deviceId" },
    seriesAfter: "devices",
  },
} as const satisfies Record<string, Setting>;
