import { hashRouteOf } from "../addresses/hash-route.ts";

/**
 * Recognises pages that ask a reader to sign in, so that such a page is not taken for the one that it stands in for. No
 * single sign decides: the signs of a page and of its address are weighed.
 */

/** What a page shows, in the order of the document: plain data, whoever reads it. */
export type PageSigns = {
  title: string;
  /** Texts of its first headings (h1 and h2). */
  headings: string[];
  forms: FormSigns[];
  /** Links and buttons outside of forms that lead to a service for signing in. */
  services: number;
  words: number;
  links: number;
  /** `<meta name=robots content=noindex>` */
  noindex: boolean;
};

/** What a form has; fields without a form are one form, too. Fields that nobody sees do not count. */
export type FormSigns = {
  /** As written, or "" */
  action: string;
  passwords: number;
  /** Passwords that are to be made up (`autocomplete=new-password`). */
  newPasswords: number;
  /** Fields for a user name or e-mail address. */
  users: number;
  /** All other fields, without check boxes. */
  others: number;
  /** The text of its first button. */
  submit: string;
  /** True in a header, a menu or a side bar, or before the content: beside the content, not the content. */
  isAside: boolean;
};

/** The weight of a page's signs, and the actions of its forms that sign in. */
export type SignInPage = {
  weight: number;
  actions: string[];
  /** Nothing is there that could be read: scripts have not run yet. */
  isEmpty: boolean;
};

/** How a page was reached. */
export type Visit = {
  asked: string;
  /** Where the redirects led; equals `asked` without any. */
  reached: string;
  status: number;
  page: SignInPage;
};

/** A page of its own address is a sign-in from this weight on: a form for signing in and a title, heading or bareness that agree. */
const IN_PLACE = 5;
/** A redirect, or an error status for visitors without rights, is a sign by itself. */
const BY_REDIRECT = 3;

/** Lower case, in the form of `simple`. */
const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Whole segments of addresses. */
const SIGN_IN = set(
  "login logon signin signon sso auth authenticate authentication authorize oauth oauth2 wplogin userlogin loginform " +
    "loginpage dologin samllogin saml saml2 openid oidc adfs anmelden anmeldung einloggen connexion seconnecter " +
    "identification authentification iniciarsesion iniciosesion acceder acceso entrar iniciarsessao accedi accesso " +
    "inloggen aanmelden loggain logind logginn kirjaudu logowanie zaloguj prihlaseni prihlasenie bejelentkezes belepes " +
    "autentificare giris vhod prijava вход войти ログイン 登录 登入 로그인",
);
/** Last segments, parameters and their values that end a session. `slo` is none: it is also Slovenia, or its language. */
const SIGN_OUT = set(
  "logout logoff logoutall userlogout signout signoff endsession abmelden ausloggen abmeldung deconnexion sedeconnecter cerrarsesion salir " +
    "terminarsessao sair esci disconnetti uitloggen afmelden loggaut logud loggut kirjauduulos wyloguj wylogowanie " +
    "odhlasit odhlaseni odhlasenie kijelentkezes deconectare cikis odjava выход выйти ログアウト 登出 退出 로그아웃",
);
/** Parameters whose value says what is to be done. */
export const ACTION = set(
  "action act a ac do todo cmd command task mode op operation method event func function action2 subaction doaction " +
    "bulkaction fn",
);
/** Parameters whose value is a path, where scripts have one address for all: `?route=account/logout`. */
const ROUTE = /^(?:route|r|q|p|page|path|action|controller)$/;

/** The path that a parameter names in place of that of its address; undefined for most. */
export function routeOf({ origin, searchParams }: URL): URL | undefined {
  for (const [name, value] of searchParams) {
    if (!ROUTE.test(name) || !/^(?:\/|[\w.-]+\/(?=[\w.-]))[\w.-]+(?:\/[\w.-]+)*\/?$/.test(value)) continue;
    const others = new URLSearchParams(searchParams);
    others.delete(name);
    return URL.parse(`/${value.replace(/^\//, "")}?${others}`, origin) ?? undefined;
  }
  return undefined;
}

/** Parameters whose value says what is shown. */
const VIEW = set("view screen show display section module mod form controller title");
/** Segments of pages that show a sign-in to everybody who has not signed in. */
const MEMBER = set("account myaccount konto meinkonto compte moncompte cuenta micuenta profile members");
/** Parameters that say where a reader wanted to go. */
const BACK = set(
  "next return returnto returnurl returnuri returnpath redirect redirectto redirecturl redirecturi continue goto target " +
    "targeturl service relaystate camefrom from url dest destination back backurl callback callbackurl origin originurl " +
    "ref referer r ru path forward forwardto successurl wreply wctx",
);
/**
 * Words anywhere in the path of an address that was asked for: then a sign-in is no surprise. A hyphen separates words, too:
 * a blog-index is no "log-in".
 */
const ACCOUNT = /(?<!\p{L})(log[-_.]?(in|on|off|out)|sign[-_.]?(in|on|up|out)|register)(?!\p{L})/u;

/** In titles, headings and buttons: whole words. */
const TEXT = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "log ?in|log ?on|sign[- ]?in|sign on|single sign[- ]?on|sso|authenticat\\w*|anmelden|anmeldung|einloggen|connexion",
    "se connecter|connectez-vous|identifiez-vous|inici(?:ar|a|o de) sesi[oó]n|acceder|acceso|entrar|iniciar sess[aã]o",
    "accedi|accesso|inloggen|aanmelden|logga in|log ind|logg inn|kirjaudu\\w*|zaloguj\\w*|logowanie|přihlášení",
    "přihlásit\\w*|prihlásenie|prihlásiť\\w*|bejelentkezés|belépés|autentificare|conectare|giriş|oturum aç\\w*|вход|войти",
    "увійти|вхід|prijava|σύνδεση|התחברות|تسجيل الدخول|đăng nhập|masuk",
  ].join("|")})(?![\\p{L}\\p{N}])`,
  "iu",
);
/** The same in scripts that do not separate words. */
const UNSPACED = /ログイン|サインイン|登录|登入|登錄|로그인|เข้าสู่ระบบ/;
/** The button of the first of two steps. */
const NEXT =
  /^(next|continue|weiter|suivant|continuer|siguiente|continuar|avançar|próximo|avanti|continua|volgende|verder|nästa|fortsätt|dalej|další|tovább|devam|ileri|далее|продолжить|次へ|下一步|继续|다음)$/i;

/** The whole name of a link that signs out. */
export const SIGN_OUT_TEXTS =
  "(?:log|sign)[ -]?(?:out|off)|abmelden|ausloggen|(?:se )?déconnecter|déconnexion|cerrar sesión|terminar sessão|sair|esci|" +
  "disconnetti(?:ti)?|uitloggen|afmelden|logga ut|log ud|logg ut|kirjaudu ulos|wyloguj(?: się)?|odhlásit(?: se)?|odhlásiť(?: sa)?|" +
  "kijelentkezés|deconectare|çıkış(?: yap)?|odjava|odjavi se|выйти|выход|ログアウト|サインアウト|登出|退出(?:登录)?|注销|로그아웃";
const SIGN_OUT_TEXT = new RegExp(`^(?:${SIGN_OUT_TEXTS})$`, "iu");
/** The name of a link that signs out, or that says that it leads to a sign-in: a longer one is about something. */
export const ACCOUNT_LINK_TEXTS = `^(?:${SIGN_OUT_TEXTS})$|^(?=.{1,40}$).*(?:${TEXT.source}|${UNSPACED.source})`;
const ACCOUNT_LINK_TEXT = new RegExp(ACCOUNT_LINK_TEXTS, "iu");

/** Hosts that do nothing else but sign people in, for others. */
const SERVICES =
  /(^|\.)(login\.microsoftonline\.com|login\.live\.com|accounts\.google\.com|appleid\.apple\.com|(okta|okta-emea|oktapreview|auth0|onelogin|b2clogin|ciamlogin|amazoncognito|pingone|pingidentity|cloudflareaccess|duosecurity|jumpcloud|zitadel|frontegg|workos)\.(com|eu|cloud|app))$/;
/** Without `id`, which is also Indonesia. */
const HOST_PREFIX = /^(login|logon|signin|sso|auth|idp|accounts?|cas|adfs|keycloak|identity|passport)[.-]/;

/** True for a text that asks to sign in; a longer one is about something. */
export function asksToSignIn(text: string): boolean {
  return text.length <= 120 && (TEXT.test(text) || UNSPACED.test(text));
}

/** What the page by itself says, whatever its address. */
export function weighPage({ title, headings, forms, services, words, links, noindex }: PageSigns): SignInPage {
  const isNamed = [title, ...headings.slice(0, 3)].some(asksToSignIn);
  const main = forms.filter(({ isAside }) => !isAside);
  const signing = main.filter((form) => formWeight(form, isNamed) > 0);
  const form = Math.max(isNamed && services > 0 ? 2 : 0, ...signing.map((one) => formWeight(one, isNamed)));
  // A form that asks for other things says what the page is about.
  const isAbout = main.some((one) => one.others + one.users > 1 && formWeight(one, isNamed) === 0);
  const bareness = words <= 15 && links <= 4 ? 2 : words <= 50 && links <= 8 ? 1 : 0;
  const fullness = words > 150 || links > 25 ? 3 : words > 60 || links > 12 ? 1 : 0;
  const named = isNamed ? (form > 0 ? 3 : Number(words <= 12)) : 0;
  return {
    weight: form + named + (form > 0 ? bareness : 0) + Number(noindex) - fullness - (isAbout ? 2 : 0),
    actions: signing.map(({ action }) => action),
    isEmpty: words <= 8 && links <= 3 && !isAbout,
  };
}

/** A form with one password to be known, or only a name and a button that says what for. */
function formWeight(form: FormSigns, isNamed: boolean): number {
  const { action, passwords, newPasswords, users, others, submit } = form;
  if (others + Math.max(0, users - 2) > 2 || newPasswords > 0 || passwords > 1) return 0;
  const leads = isSignInAddress(URL.parse(action, "http://any/")?.href ?? "");
  const says = asksToSignIn(submit);
  if (passwords === 1) return says || leads ? 4 : 3;
  if (users !== 1 || others > 0) return 0;
  // "Anmelden" is also the button of a newsletter.
  if (!isNamed) return leads ? 2 : 0;
  return says || leads ? 3 : NEXT.test(submit) ? 2 : 0;
}

/**
 * Whether the page that a visit ended at asks to sign in instead of showing what was asked for. A sign-in at an address
 * that says so is a page like others.
 *
 * @param known actions of the start's forms that sign in: a form that the whole site has is no sign-in
 * @param inSession whether the report has credentials: then pages for members are not meant to ask again
 */
export function isSignIn(
  { asked, reached, status, page }: Visit,
  known: readonly string[],
  inSession: boolean,
): boolean {
  if (isAccountAddress(asked)) return false;
  const isKnown = page.actions.some((action) => known.includes(action));
  if (!sameDocument(asked, reached)) {
    const { signs, back } = weighAddress(reached, asked);
    const shown = isKnown ? 0 : page.weight;
    if (signs > 0) return signs + back + shown + Number(page.isEmpty) >= BY_REDIRECT;
    return shown >= (back > 0 ? BY_REDIRECT : IN_PLACE);
  }
  if (isRefusal(status)) return page.actions.length > 0 && page.weight >= BY_REDIRECT;
  return status < 400 && !isKnown && page.weight >= IN_PLACE && (inSession || !hasSegment(asked, MEMBER));
}

/** Whether a page has what asks to sign in, whatever else it has. */
export function hasSignIn({ weight, actions }: SignInPage): boolean {
  return actions.length > 0 || weight >= IN_PLACE;
}

/** True for a status that says that a visitor has no rights: its page may be a sign-in. */
export function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** Whether a page that has become a redirect leads to a sign-in now, as far as its address says. */
export function leadsToSignIn(asked: string, reached: string): boolean {
  const { signs, back } = weighAddress(reached, asked);
  return !isAccountAddress(asked) && !sameDocument(asked, reached) && signs > 0 && signs + back >= 2;
}

/** Whether a redirect to this address, which is a page already, is one to a sign-in. */
export function isSignInAddress(url: string): boolean {
  return namesSignIn(url) || isServiceHost(url);
}

/** Whether a path, or a parameter that says what is done or shown (`?do=login`, `?login`, `?title=Special:UserLogin`), is one to sign in. */
function namesSignIn(url: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  const named = routeOf(parsed);
  if (named && namesSignIn(named.href)) return true;
  const isPage = (text: string): boolean => SIGN_IN.has(ofNamespace(text));
  return (
    segmentsOf(parsed).some(isPage) ||
    [...parsed.searchParams].slice(0, 20).some(([name, value]) => {
      const [key, says] = [simple(name), simple(value)];
      if (/^(?:|1|true|yes|on)$/.test(says)) return SIGN_IN.has(key);
      return (ACTION.has(key) || ROUTE.test(key) || VIEW.has(key)) && isPage(says);
    })
  );
}

/** The page of a wiki, without its namespace: `Special:UserLogin`. */
function ofNamespace(text: string): string {
  return text.replace(/^[^:]*:(?=.)/, "");
}

/** Whether an address was asked for that has to do with signing in or out. */
function isAccountAddress(url: string): boolean {
  const { pathname = "", host = "", origin = "" } = URL.parse(url) ?? {};
  if (isSignInAddress(url) || endsSession(url)) return true;
  // A session is made by signing in: /session/new
  if (/\/[a-z]*_?sessions?\/new\/?$/i.test(pathname)) return true;
  // A view behind a # is an address of its own for the scripts that show it.
  const view = hashRouteOf(url).replace(/^#!?\/?/, "");
  if (view !== "" && isAccountAddress(`${origin}/${view.replaceAll("#", "")}`)) return true;
  return /^(login|logon|signin|sso|auth|idp)[.-]/.test(host) || ACCOUNT.test(words(pathname));
}

/** True for an address that a link "log out" leads to, in its path or by a parameter. */
export function endsSession(url: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  // A view behind a # is an address of its own for the scripts that show it.
  const route = hashRouteOf(url).replace(/^#!?/, "");
  const view = route === "" ? null : URL.parse(route, parsed.origin);
  if (view && endsSession(view.href)) return true;
  const named = routeOf(parsed);
  if (named && endsSession(named.href)) return true;
  const segments = segmentsOf(parsed);
  const last = segments.at(-1) ?? "";
  const before = segments.at(-2) ?? "";
  if (SIGN_OUT.has(last) || (last === "slo" && /^(sso|(simple)?saml2?)$/.test(before))) return true;
  // /session/destroy
  if (/^(?:(?:user|auth)?sessions?|auth)$/.test(before) && /^(end|destroy|delete|close|remove|invalidate)$/.test(last))
    return true;
  if (segments.length === 1 && last === "exit") return true;
  const isPage = (text: string): boolean => SIGN_OUT.has(ofNamespace(text));
  const parameters = [...parsed.searchParams].slice(0, 20);
  return (
    isPage(last) ||
    parameters.some(([name, value]) => {
      const [key, says] = [simple(name), simple(value)];
      const names = ACTION.has(key) || ROUTE.test(key);
      return SIGN_OUT.has(key) || (names && SIGN_OUT.has(says)) || (says.includes(":") && isPage(says));
    })
  );
}

/** True for the name of a link that signs out, whatever its address. */
export function isSignOutText(text: string): boolean {
  return text.length <= 40 && SIGN_OUT_TEXT.test(text.trim());
}

/** True for the name of a link that signs out, or that says that it leads to a sign-in. */
export function isAccountLinkText(text: string): boolean {
  return ACCOUNT_LINK_TEXT.test(text);
}

/**
 * The signs of a sign-in that an address has, and whether it leads back. The second is no sign by itself: consent, a
 * choice of a country and the like lead back, too.
 */
function weighAddress(reached: string, asked: string): { signs: number; back: number } {
  const url = URL.parse(reached);
  const from = URL.parse(asked);
  if (!url || !from) return { signs: 0, back: 0 };
  const isElsewhere = url.host !== from.host;
  const isNamed = namesSignIn(reached);
  const isProtocol = ["SAMLRequest", "client_id", "wtrealm"].some((name) => url.searchParams.has(name));
  return {
    signs:
      (isNamed ? 2 : 0) +
      (SERVICES.test(url.hostname) ? 3 : isElsewhere && HOST_PREFIX.test(url.host) ? 1 : 0) +
      (isProtocol && (isNamed || isElsewhere) ? 3 : 0),
    back: isNamed || isElsewhere ? returnWeight(url, from) : 0,
  };
}

function isServiceHost(url: string): boolean {
  return SERVICES.test(URL.parse(url)?.hostname ?? "");
}

/** A parameter that leads back to what was asked for. */
function returnWeight({ searchParams, origin }: URL, asked: URL): number {
  const leadsBack = [...searchParams].slice(0, 20).some(([name, value]) => {
    if (!BACK.has(simple(name)) || value === "") return false;
    const target = URL.parse(value, origin === asked.origin ? asked.href : undefined);
    return target?.host === asked.host && (origin !== asked.origin || target.pathname === asked.pathname);
  });
  return leadsBack ? 2 : 0;
}

function hasSegment(url: string, known: ReadonlySet<string>): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && segmentsOf(parsed).some((segment) => known.has(segment));
}

/** The last three segments of a path, in the form of the lists above: a sign-in is not a folder of many pages. */
function segmentsOf({ pathname }: URL): string[] {
  return pathname
    .split("/")
    .filter((segment) => segment !== "")
    .slice(-3)
    .map((segment) =>
      simple((segment.split(";", 1)[0] ?? "").replace(/\.(html?|php\d?|aspx?|jsp|jsf|do|action|cgi|xhtml)$/i, "")),
    );
}

/** Lower case, decoded; `userLogin` is two words. */
function words(path: string): string {
  return decoded(path)
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1-$2")
    .toLowerCase();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Lower case, decoded, without accents, hyphens and the like. */
export function simple(text: string): string {
  return decoded(text)
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[\s_.-]+/g, "");
}

/** Another scheme, `www.` or slash at the end is no redirect to something else. */
function sameDocument(a: string, b: string): boolean {
  return comparable(a) === comparable(b);
}

function comparable(url: string): string {
  return url
    .replace(/#.*/, "")
    .replace(/^https?:\/\/(www\.)?/, "")
    .replace(/\/$/, "");
}
