import { snakeCase } from "../../schema/api-names.ts";
import { reportSpecSchema } from "../../schema/report.ts";
import { scheduleSpecSchema } from "../../schema/schedule.ts";
import type { Operation } from "./operation.ts";

type Defaults = Readonly<Record<string, { default?: unknown }>>;

/** The attributes whose default in a schedule is not that of a report: `max_pages 100 (report: 10)`. */
const differingDefaults = Object.entries(scheduleSpecSchema.properties as Defaults)
  .flatMap(([name, { default: ofSchedule }]) => {
    const ofReport = (reportSpecSchema.properties as Defaults)[name]?.default;
    const differs = ofReport !== undefined && JSON.stringify(ofReport) !== JSON.stringify(ofSchedule);
    return differs ? [`${snakeCase(name)} ${ofSchedule} (report: ${ofReport})`] : [];
  })
  .join(", ");

export const accountOperations: Readonly<Record<string, Operation>> = {
  "GET /schedules": {
    id: "listSchedules",
    tag: "Schedules",
    summary: "List schedules",
    success: { kind: "list", type: "schedule" },
  },
  "POST /schedules": {
    id: "createSchedule",
    tag: "Schedules",
    summary: "Create a schedule",
    description: `starting_url and periodicity are required. If periodicity is null or its every is deploy, only the deploy hook starts the schedule. A schedule watches a site, so its defaults cover more of it than a report's: ${differingDefaults}.`,
    success: { kind: "created", type: "schedule" },
    errors: [402],
  },
  "GET /schedules/:schedule_id": {
    id: "getSchedule",
    tag: "Schedules",
    summary: "Get a schedule",
    success: { kind: "one", type: "schedule" },
  },
  "PATCH /schedules/:schedule_id": {
    id: "updateSchedule",
    tag: "Schedules",
    summary: "Change a schedule",
    description: "Only the given attributes change. A running report keeps the definition it was started with.",
    success: { kind: "one", type: "schedule" },
    errors: [402],
  },
  "DELETE /schedules/:schedule_id": {
    id: "deleteSchedule",
    tag: "Schedules",
    summary: "Delete a schedule",
    description: "The schedule's reports are kept.",
    success: { kind: "nothing" },
  },
  "POST /schedules/:schedule_id/deploy_hook": {
    id: "renewDeployHook",
    tag: "Schedules",
    summary: "Give the deploy hook a new secret",
    description: "The old address stops working at once; the response has the new one.",
    success: { kind: "created", type: "schedule" },
    errors: [409],
  },
  "POST /deploy_hooks/:secret": {
    id: "runDeployHook",
    tag: "Schedules",
    summary: "Start a report for a deploy",
    description:
      "The address is the credential; a body may be anything, and is ignored but for a starting_url, which must be on a host of the schedule's preview_hosts: it starts a report of that URL, which is compared with the schedule's last whole run. While a report of the schedule is running, one follow-up report is queued: it has its address at once, and the phase Pending until it starts.",
    success: { kind: "run" },
    errors: [402, 409, 422],
  },
  "GET /badges/:badge": {
    id: "getBadge",
    tag: "Schedules",
    summary: "Get a picture of a result",
    description:
      "The address is the credential; it is in badge_url of a schedule, and in meta.badge_url of the response of a deploy hook.",
    success: {
      kind: "file",
      mediaType: "image/svg+xml",
      description: "The number of errors, and whether the gate passed.",
    },
  },
  "GET /devices": {
    id: "listDevices",
    tag: "Devices",
    summary: "List devices",
    description: "The default device comes first.",
    success: { kind: "list", type: "device" },
  },
  "GET /devices/default": {
    id: "getDefaultDevice",
    tag: "Devices",
    summary: "Get the default device",
    description: "Its id is empty: an empty string as device_id of a report or schedule means this device.",
    success: { kind: "one", type: "device" },
  },
  "GET /devices/:device_id": {
    id: "getDevice",
    tag: "Devices",
    summary: "Get a device",
    success: { kind: "one", type: "device" },
  },
  "GET /mutings": {
    id: "listMutings",
    tag: "Mutings",
    summary: "List mutings",
    success: { kind: "list", type: "muting" },
  },
  "POST /mutings": {
    id: "createMuting",
    tag: "Mutings",
    summary: "Create a muting",
    description:
      "It silences findings that match all of url_match, message, rule, selector and fingerprint that are given. Without rule, selector and fingerprint, both url_match and message are required; they match as substrings, regardless of case. It applies to later checks at once; existing reports are recounted in the background.",
    success: { kind: "created", type: "muting" },
  },
  "POST /mutings/preview": {
    id: "previewMuting",
    tag: "Mutings",
    summary: "Count what a muting would silence",
    description:
      "Takes the attributes of a muting, and creates nothing. Counts in the report that report_id names; by default, in the latest reports of the fifty starting URLs that were checked last, as far as it comes in five seconds. Findings that are already muted are not counted, except those that are muted by the muting that muting_id names: then the attributes are a change of that one, as in a PATCH.",
    success: { kind: "one", type: "muting_preview" },
    errors: [404],
  },
  "GET /mutings/:muting_id": {
    id: "getMuting",
    tag: "Mutings",
    summary: "Get a muting",
    success: { kind: "one", type: "muting" },
  },
  "PATCH /mutings/:muting_id": {
    id: "updateMuting",
    tag: "Mutings",
    summary: "Change a muting",
    description:
      "Only the given attributes change; null removes one. Findings that it no longer silences are counted again in the background.",
    success: { kind: "one", type: "muting" },
  },
  "DELETE /mutings/:muting_id": {
    id: "deleteMuting",
    tag: "Mutings",
    summary: "Delete a muting",
    description: "The issues that it muted are counted again, in the background.",
    success: { kind: "nothing" },
  },
  "GET /guest_accounts": {
    id: "listGuestAccounts",
    tag: "Guest accounts",
    summary: "List guest accounts",
    description:
      "A guest sees only its own guest account. A token with the scope read sees no guest account whose invitation is open: a person who knows its id can accept it.",
    success: { kind: "list", type: "guest_account" },
  },
  "POST /guest_accounts": {
    id: "createGuestAccount",
    tag: "Guest accounts",
    summary: "Invite a guest",
    description: "invitation_url in the response is the page on which the guest accepts the invitation, once.",
    success: { kind: "created", type: "guest_account" },
  },
  "GET /guest_accounts/:guest_account_id": {
    id: "getGuestAccount",
    tag: "Guest accounts",
    summary: "Get a guest account",
    success: { kind: "one", type: "guest_account" },
  },
  "PATCH /guest_accounts/:guest_account_id": {
    id: "updateGuestAccount",
    tag: "Guest accounts",
    summary: "Change a guest's limit, or reset its usage",
    success: { kind: "one", type: "guest_account" },
  },
  "DELETE /guest_accounts/:guest_account_id": {
    id: "deleteGuestAccount",
    tag: "Guest accounts",
    summary: "Delete a guest account",
    description: "Its tokens stop working at once; the host keeps its reports.",
    success: { kind: "nothing" },
  },
  "POST /invitations/:guest_token": {
    id: "acceptInvitation",
    tag: "Guest accounts",
    summary: "Accept an invitation",
    description:
      "Does the same as the invitation's page, for programs. The response shows the guest's token, which will not be shown again.",
    success: { kind: "created", type: "api_token" },
  },
  "GET /api_tokens": {
    id: "listApiTokens",
    tag: "Access",
    summary: "List tokens",
    description: "A guest sees only its own tokens. The secrets are never shown again.",
    success: { kind: "list", type: "api_token" },
  },
  "POST /api_tokens": {
    id: "createApiToken",
    tag: "Access",
    summary: "Create a token",
    description: "Only this response shows the token.",
    success: { kind: "created", type: "api_token" },
  },
  "GET /api_tokens/:api_token_id": {
    id: "getApiToken",
    tag: "Access",
    summary: "Get a token",
    success: { kind: "one", type: "api_token" },
  },
  "DELETE /api_tokens/:api_token_id": {
    id: "deleteApiToken",
    tag: "Access",
    summary: "Revoke a token",
    success: { kind: "nothing" },
  },
  "GET /share_links": {
    id: "listShareLinks",
    tag: "Access",
    summary: "List share links",
    description: "The newest first, also those that are over. The secrets are never shown again.",
    success: { kind: "list", type: "share_link" },
  },
  "POST /share_links": {
    id: "createShareLink",
    tag: "Access",
    summary: "Share a report, or the numbers of a site",
    description:
      "Only this response shows the secret. Who has it can read the report and everything below it with the header Share-Link: <secret>, or the numbers of the site, until the link ends.",
    success: { kind: "created", type: "share_link" },
  },
  "GET /share_links/:share_link_id": {
    id: "getShareLink",
    tag: "Access",
    summary: "Get a share link",
    success: { kind: "one", type: "share_link" },
  },
  "PATCH /share_links/:share_link_id": {
    id: "updateShareLink",
    tag: "Access",
    summary: "Change when a share link ends",
    success: { kind: "one", type: "share_link" },
  },
  "POST /share_links/:share_link_id/secret": {
    id: "renewShareLink",
    tag: "Access",
    summary: "Give a share link a new secret",
    description: "The secret before it opens nothing any more. Only this response shows the new one.",
    success: { kind: "created", type: "share_link" },
  },
  "DELETE /share_links/:share_link_id": {
    id: "deleteShareLink",
    tag: "Access",
    summary: "Stop sharing",
    success: { kind: "nothing" },
  },
  "GET /shared/:share_secret": {
    id: "getShared",
    tag: "Access",
    summary: "Open a share link",
    description:
      "Needs no token. Of a report it has the address, which is readable with the header Share-Link: <secret>; of a site the numbers. 404 when the link is over or has another secret.",
    success: { kind: "one", type: "shared" },
  },
  "GET /basic_auths": {
    id: "listBasicAuths",
    tag: "Access",
    summary: "List stored credentials",
    success: { kind: "list", type: "basic_auth" },
  },
  "POST /basic_auths": {
    id: "createBasicAuth",
    tag: "Access",
    summary: "Store credentials for a site",
    description:
      "A user name and a password, headers, or both. They are stored encrypted, never shown again, and sent only to the given host. 422 for a header that cannot be set, such as Host, Content-Length and headers of the connection.",
    success: { kind: "created", type: "basic_auth" },
  },
  "GET /basic_auths/:basic_auth_id": {
    id: "getBasicAuth",
    tag: "Access",
    summary: "Get stored credentials",
    description: "Neither the password nor the values of headers are included.",
    success: { kind: "one", type: "basic_auth" },
  },
  "PATCH /basic_auths/:basic_auth_id": {
    id: "updateBasicAuth",
    tag: "Access",
    summary: "Change stored credentials",
    description:
      "Only the given attributes change; headers are given all together, and an empty list removes them. A change of host requires the password and the headers again, because they were not meant for the new host. Running reports use the new credentials from their next Job on.",
    success: { kind: "one", type: "basic_auth" },
  },
  "DELETE /basic_auths/:basic_auth_id": {
    id: "deleteBasicAuth",
    tag: "Access",
    summary: "Delete stored credentials",
    description: "409 while schedules or running reports use them, unless force is true.",
    success: { kind: "nothing" },
    errors: [409],
  },
  "GET /usage": {
    id: "getUsage",
    tag: "Usage",
    summary: "Get this month's usage",
    description: "The usage of the account and of each guest; a guest gets only its own.",
    success: { kind: "one", type: "usage" },
  },
};
