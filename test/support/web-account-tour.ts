import { eventually } from "./wait.ts";
import { sendForm } from "./web-pages.ts";
import { type Stop, signedIn, type WebClient, type WebReply, type WebService, webClient } from "./web-service.ts";

type Tour = {
  service: WebService;
  client: WebClient;
  /** A site to check, and a report of it that has ended. */
  site: string;
  report: string;
  stop: (stop: Stop) => Promise<void> | void;
  /** Waits for the end of a report. */
  ended: (report: string) => Promise<void>;
};

/** Visits the pages of an account: schedules, mutings, guests, tokens, credentials and usage, in every state. */
export async function accountTour({ service, client, site, report, stop, ended }: Tour): Promise<void> {
  const seen = async (name: string, path: string, { status, html }: WebReply) => stop({ name, path, status, html });
  const visit = async (name: string, path: string, as = client) => {
    const reply = await as.get(path);
    await seen(name, path, reply);
    return reply;
  };
  const send = async (path: string, action: string, filled: Record<string, string | undefined> = {}, as = client) =>
    sendForm(as, (await as.get(path)).html, action, filled);
  const api = async (path: string): Promise<{ id: string }[]> => {
    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.url}/api/v1${path}`, { headers });
    return ((await response.json()) as { data: { id: string }[] }).data;
  };

  for (const page of ["schedules", "mutings", "guests", "credentials", "tokens", "receivers", "deliveries"])
    await visit(`${page}-none`, `/${page}`);
  await visit("new-schedule", `/schedules/new?url=${encodeURIComponent(site)}`);
  const wrong = { starting_url: "shop", max_pages: "-1", "gate.max_errors": "many", "periodicity.every": "month" };
  await seen("new-schedule-refused", "/schedules/new", await send("/schedules/new", "/schedules/new", wrong));
  await visit("new-muting", "/mutings/new");
  await visit("new-muting-preview", `/mutings/new?rule=image-alt&report_id=${report.split("/").at(-1)}&next=${report}`);
  const component = /href="(\/mutings\/new[?]component=[^"]+)"/.exec((await client.get(report)).html)?.[1] ?? "";
  await visit("new-muting-of-a-finding", component.replaceAll("&amp;", "&"));
  const bad = { message: "Image", selector: "a:hover", expires_at: "2020-01-01", fingerprint: "x" };
  await seen("new-muting-refused", "/mutings/new", await send("/mutings/new", "/mutings/new", bad));

  await send("/credentials", "/credentials", { host: "shop.example", username: "ada", password: "secret" });
  await send("/credentials", "/credentials", { host: "intranet.example:8443", username: "grace", password: "secret" });
  await visit("credentials", "/credentials");
  const [stored] = await api("/basic_auths");
  const credentials = `/credentials/${stored?.id}`;
  await visit("credential", credentials);
  await seen("credential-refused", credentials, await send(credentials, credentials, { host: "other.example" }));

  const watched = {
    ...{ starting_url: site, max_pages: "20", rate_limit: "25", tags: "shop, live", "gate.max_errors": "2" },
    ...{ "periodicity.every": "week", "periodicity.at": "06:00", basic_auth_id: stored?.id },
  };
  const { location: made } = await send("/schedules/new", "/schedules/new", watched);
  const schedule = made?.split("?")[0] ?? "";
  await visit("schedule-no-runs", schedule);
  await ended((await send(schedule, `${schedule}/run`)).location ?? "");
  await send(schedule, `${schedule}/run`);
  const runs = async () => (await client.get(schedule)).html.match(/<tr>/g)?.length ?? 0;
  // With the head of the table. The controller starts a run that waits for the end of the one before.
  await eventually(async () => (await runs()) === 3 && !(await client.get(schedule)).html.includes('class="busy"'));
  await visit("schedule", schedule);
  await visit("edit-schedule", `${schedule}/edit`);
  const long = `https://shop.example/${"a-long-path-without-an-end/".repeat(6)}`;
  const { location: other } = await send("/schedules/new", "/schedules/new", { starting_url: long });
  const paused = other?.split("?")[0] ?? "";
  await send(paused, `${paused}/active`);
  await visit("schedule-paused", `${paused}?done=paused`);
  await visit("schedules", "/schedules");
  await visit("schedules-no-match", "/schedules?url=nothing-has-this");
  await seen("credential-in-use", `${credentials}/delete`, await send(credentials, `${credentials}/delete`));

  const criteria = { rule: "image-alt", url_match: "/two", comment: "Decoration", expires_at: "2999-12-31" };
  await send("/mutings/new", "/mutings/new", criteria);
  await send("/mutings/new", "/mutings/new", { selector: "footer .advertisement > img", reason: "Asked by Ada" });
  await visit("mutings", "/mutings");
  const [muting] = await api("/mutings");
  await visit("muting", `/mutings/${muting?.id}`);

  await seen("guests-refused", "/guests", await send("/guests", "/guests", { max_usage: "0" }));
  const { location: invited } = await send("/guests", "/guests", { max_usage: "500" });
  await send("/guests", "/guests", { max_usage: "100" });
  await visit("guest-invited", invited ?? "");
  const guestPath = invited?.split("?")[0] ?? "";
  const stranger = webClient(service.url);
  const invitation = guestPath.replace("/guests/", "/invitations/");
  await visit("invitation", invitation, stranger);
  await seen("invitation-refused", invitation, await stranger.post(invitation, { name: "", email: "ada" }));
  const guestToken = await accept(service.url, decodeURIComponent(guestPath.split("/").at(-1) ?? ""));
  const guest = await signedIn({ url: service.url, token: guestToken });
  await visit("guest", guestPath);
  await visit("guests", "/guests");
  await visit("guests-for-a-guest", "/guests", guest);
  await visit("usage-for-a-guest", "/usage", guest);
  await visit("usage", "/usage");

  const nowhere = {
    kind: "webhook",
    name: "Ticket system",
    url: "https://tickets.invalid/in",
    events: "report.failed",
  };
  await visit("new-receiver", "/receivers/new");
  const deaf = { name: "", url: "http://10.0.0.1/", mail_addresses: "nobody" };
  await seen("new-receiver-refused", "/receivers/new", await send("/receivers/new", "/receivers/new", deaf));
  await seen(
    "receiver-created",
    "/receivers/new",
    await send("/receivers/new", "/receivers/new", { ...nowhere, do: "test" }),
  );
  const wall = { ...nowhere, name: "Screen in the press office", kind: "slack", tags: "live", digest: "daily" };
  await send("/receivers/new", "/receivers/new", wall);
  const [tickets, screen] = (await api("/receivers")).map(({ id }) => `/receivers/${id}`);
  await eventually(async () => (await client.get("/deliveries")).html.includes("no answer"));
  await visit("receiver", tickets ?? "");
  await send(screen ?? "", `${screen}/enabled`);
  await visit("receiver-switched-off", screen ?? "");
  await visit("receivers", "/receivers");
  await visit("deliveries", "/deliveries");
  await visit("delivery", `/deliveries/${(await api("/deliveries"))[0]?.id}`);

  await seen("kept-refused", "/kept", await send("/kept", "/kept", { report_days: "0" }));
  await visit("kept-preview", "/kept?report_days=365&schedule_runs=2");
  const pin = `${report}/pin`;
  await seen("pin-refused", pin, await send(report, pin, { reason: " " }));
  await send(report, pin, { reason: "State before the new design, for the tender." });
  await visit("report-pinned", report);
  await visit("kept-asked", `/kept/selected?reports=${report.split("/").at(-1)}&part=report`);
  const asked = await send("/kept", "/kept/selected", { report: report.split("/").at(-1), part: "pictures" });
  const chosen = await send(asked.location ?? "", "/kept/selected", { act: "do" });
  await eventually(async () => (await client.get(chosen.location ?? "")).html.includes('role="status"'));
  await visit("deletion", chosen.location ?? "");
  await visit("kept", "/kept");
  await visit("audit", "/audit");
  const [entry] = await api("/audit?filter[area]=schedules");
  await visit("audit-entry", `/audit?what=schedules&entry=${entry?.id}`);
  await visit("audit-no-match", "/audit?q=nothing-has-this&from=2020-01-01&to=2020-01-02");

  const shown = `/sites/${(await api("/sites"))[0]?.id}`;
  await send("/teams", "/teams", { name: "Web team" });
  await seen("team-refused", "/teams", await send("/teams", "/teams", { name: " " }));
  await visit("team", `/teams/${(await api("/teams"))[0]?.id}`);
  await send(`${shown}/held`, `${shown}/held`, { who: "other", assignee: "Agency South", due_on: "2026-01-01" });
  await visit("site-held", `${shown}/held`);
  await visit("held", "/held");
  await visit("held-left", "/held?show=left");
  await visit("held-one", `/held/${(await api("/assignments"))[0]?.id}`);
  await visit("people-teams", "/people");
  const single = { role: "", sites: (await api("/sites"))[0]?.id, site_role: "editor" };
  await send("/people", "/people", { mail: "south@agency.example", ...single });
  await visit("people-sites", "/people");
  await visit("person-sites", `/people/${(await api("/people"))[0]?.id}`);

  await seen("tokens-refused", "/tokens", await send("/tokens", "/tokens", { name: " " }));
  const { html } = await client.get("/tokens");
  const created = await sendForm(client, html, "/tokens", { name: "A pipeline that reads", scope: "read" });
  await seen("token-created", "/tokens", created);
  await visit("tokens", "/tokens");
  const readToken = /id="field-token"[^>]* value="([^"]+)"/.exec(created.html)?.[1] ?? "";
  const reader = await signedIn({ url: service.url, token: readToken });
  for (const [name, path] of Object.entries({
    schedules: "/schedules",
    schedule,
    tokens: "/tokens",
    muting: "/mutings/new",
  }))
    await visit(`${name}-read-only`, path, reader);
  const answer = await reader.post("/tokens", { name: "x" });
  await seen("refused-read-only", "/tokens", answer);
}

/** Accepts an invitation. @returns the guest's token */
async function accept(url: string, guestToken: string): Promise<string> {
  const invitation = `/invitations/${guestToken}`;
  const { html } = await webClient(url).post(invitation, { name: "Ada Lovelace", email: "ada@example.com" });
  return /<code>(svt_[^<]+)<\/code>/.exec(html)?.[1] ?? "";
}
