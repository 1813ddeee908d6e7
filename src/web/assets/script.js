// What pages do beyond links and forms. Everything can be read and done without it, too.

/** The reader's time zone, such as "Europe/Berlin". */
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Shows times in the reader's zone, as dates.ts writes those in UTC, which stay in the title. @param {ParentNode} root */
function localTimes(root) {
  const format = new Intl.DateTimeFormat("en", {
    ...{ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    timeZoneName: "short",
  });
  for (const time of root.querySelectorAll("time")) {
    /** @type {Record<string, string>} */
    const part = {};
    for (const { type, value } of format.formatToParts(new Date(time.dateTime))) part[type] = value;
    const text = `${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute}`;
    time.title = part.timeZoneName === "UTC" ? `${text} UTC` : `${text} ${part.timeZoneName}, ${time.title}`;
    /** @type {Record<string, string>} */
    const short = {
      day: `${part.day} ${part.month}`,
      date: `${part.day} ${part.month} ${part.year}`,
      month: `${part.month} ${part.year}`,
      clock: `${part.hour}:${part.minute}`,
    };
    const { as } = time.dataset;
    if (as !== "ago") time.textContent = short[as ?? ""] ?? text;
  }
  for (const name of root.querySelectorAll("[data-zone]")) name.textContent = zone;
  // Where there is no room for an element, as in a label or an option, a time says that it is in UTC.
  /** @param {string} text */
  const inZone = (text) =>
    text.replace(/\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC/g, (utc) => {
      const time = new Date(utc);
      // It may be a site's own text, and no date.
      if (Number.isNaN(time.getTime())) return utc;
      /** @type {Record<string, string>} */
      const part = {};
      for (const { type, value } of format.formatToParts(time)) part[type] = value;
      return `${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute} ${part.timeZoneName}`;
    });
  for (const labelled of root.querySelectorAll("[aria-label*=UTC]"))
    labelled.setAttribute("aria-label", inZone(labelled.getAttribute("aria-label") ?? ""));
  for (const named of root.querySelectorAll("option, .confirm button"))
    if (named.childElementCount === 0) named.textContent = inZone(named.textContent ?? "");
}

/** Signs in by a link that has a code in its fragment, which no server logs. */
function signInByLink() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-sign-in]"));
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  const field = form?.elements.namedItem("code");
  if (!form || !code || !(field instanceof HTMLInputElement)) return;
  // Not kept in the history: the code works only once.
  history.replaceState(null, "", location.pathname + location.search);
  field.value = code;
  form.submit();
}

/** The pause before a page that could not be read, or followed, is tried again, in milliseconds. */
const RETRY_MS = 5_000;

/** Reads the current page; undefined while the service does not respond with it. */
async function readAgain() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => undefined);
  if (!response || response.status === 429 || response.status >= 500) return undefined;
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Says beside each number how much it has grown since the page was read before. @param {Element} before @param {Element} fresh */
function showGrowth(before, fresh) {
  for (const place of fresh.querySelectorAll("[data-since]")) {
    /** @param {Element} root */
    const amount = (root) => {
      const name = CSS.escape(place.getAttribute("data-since") ?? "");
      return Number(root.querySelector(`[data-count="${name}"]`)?.getAttribute("data-value") ?? 0);
    };
    const growth = amount(fresh) - amount(before);
    if (growth <= 0) continue;
    const words = document.createElement("span");
    words.className = "hidden";
    words.textContent = ` ${place.getAttribute("data-words")}`;
    place.replaceChildren(`+${growth}`, words);
  }
}

/** Reads the page again at each event of its stream, and updates what has changed. */
async function followLive() {
  const main = document.querySelector("main[data-live]");
  const script = /** @type {HTMLScriptElement | null} */ (document.querySelector("script[data-morph]"));
  const stream = main?.getAttribute("data-live");
  if (!main || !stream || !script?.dataset.morph) return;
  const { Idiomorph } = await import(script.dataset.morph);
  let events = listen(stream);
  let isReading = false;
  let isStale = false;
  async function refresh() {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale) {
      isStale = false;
      const page = await readAgain();
      if (!page) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        isStale = true;
        continue;
      }
      const fresh = page.querySelector("main");
      const current = document.querySelector("main");
      if (!fresh || !current) break;
      localTimes(fresh);
      showGrowth(current, fresh);
      Idiomorph.morph(current, fresh, {
        ignoreActiveValue: true,
        callbacks: { beforeAttributeUpdated: (/** @type {string} */ name) => name !== "open" },
      });
      document.title = page.title;
      if (!fresh.hasAttribute("data-live")) events.close();
    }
    isReading = false;
  }
  /** @param {string} url */
  function listen(url) {
    const source = new EventSource(url);
    source.addEventListener("report", () => void refresh());
    source.addEventListener("end", () => {
      source.close();
      void refresh();
    });
    // The browser reopens a lost connection, but not a refused one: the report may be gone, or have too many followers.
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return;
      void refresh();
      setTimeout(() => {
        if (document.querySelector("main[data-live]")) events = listen(url);
      }, RETRY_MS);
    });
    return source;
  }
}

/** Shows the selected finding in each pane, which scrolls on its own. */
function showSelected() {
  for (const pane of document.querySelectorAll(".view, .pane .found")) {
    const selected = pane.querySelector(".now, [aria-current]");
    if (!selected) continue;
    const [outer, inner] = [pane.getBoundingClientRect(), selected.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom)
      pane.scrollTop += inner.top - outer.top - outer.height / 3;
  }
}

/** What a button copies: the page's address, or a field's text, which is selected. @param {HTMLButtonElement} button */
function textToCopy({ dataset }) {
  if (dataset.copyLink !== undefined) return location.origin + location.pathname + location.search;
  const field = document.getElementById(dataset.copy ?? "");
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return undefined;
  // Pages that are not served over TLS have no clipboard: the selected text can be copied by keyboard, if it is shown.
  if (!navigator.clipboard) {
    field.hidden = false;
    field.focus();
  }
  field.select();
  return field.value;
}

/** Copies a text, and confirms it. */
function copyButtons() {
  document.addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? target.closest("button[data-copy], button[data-copy-link]") : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const text = textToCopy(button);
    if (text === undefined) return;
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    const status = button.parentElement?.querySelector("[role=status]");
    if (copied && status) status.textContent = button.dataset.copied ?? "";
  });
}

/** Menus close when something else is clicked, or by Escape, which returns to their button. */
function closeMenus() {
  /** @param {EventTarget | null} clicked */
  function close(clicked) {
    for (const menu of document.querySelectorAll("details.menu[open]"))
      if (!(clicked instanceof Node && menu.contains(clicked))) menu.removeAttribute("open");
  }
  document.addEventListener("click", ({ target }) => close(target));
  document.addEventListener("keydown", ({ key }) => {
    const button = document.querySelector("details.menu[open] > summary");
    if (key !== "Escape" || !(button instanceof HTMLElement)) return;
    button.focus();
    close(null);
  });
}

/** Sends a form once, however often its button is pressed; again after a step back to its page. */
function sendOnce() {
  /** @type {WeakSet<HTMLFormElement>} */
  let sent = new WeakSet();
  document.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.method !== "post") return;
    if (sent.has(event.target)) event.preventDefault();
    sent.add(event.target);
  });
  addEventListener("pageshow", () => {
    sent = new WeakSet();
  });
}

/** Says what the ticked rows of a form take together. */
function sumTicked() {
  for (const place of document.querySelectorAll("[data-sum]")) {
    const form = place.closest("form");
    const show = () => {
      const ticked = [...(form?.querySelectorAll("[data-bytes]:checked") ?? [])];
      const bytes = ticked.reduce((sum, one) => sum + Number(one.getAttribute("data-bytes")), 0);
      const power = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
      const value = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format(bytes / 1_000 ** power);
      place.textContent = ticked.length === 0 ? "" : `${value} ${["bytes", "kB", "MB", "GB", "TB"][power]}`;
    };
    form?.addEventListener("change", show);
    show();
  }
}

localTimes(document);
sumTicked();
copyButtons();
closeMenus();
sendOnce();
signInByLink();
void followLive();
showSelected();
