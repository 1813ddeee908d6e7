import { isIPv6 } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { withJobToken } from "./database/connection/connection-options.ts";
import { type Role, roles } from "./domain/accounts/roles.ts";
import { isThisMachine } from "./domain/addresses/this-machine.ts";
import { UsageError } from "./domain/errors.ts";
import { parseCredentials, type SiteCredentials } from "./domain/headers/site-credentials.ts";
import { parseRequestId } from "./domain/request-id.ts";
import { type Limits, limitMaxima } from "./domain/retention/limits.ts";
import { parseNetworks } from "./net/addresses.ts";
import { readHostAddresses } from "./net/report-policy.ts";
import { inFolder } from "./net/tls-files.ts";
import { readTlsHosts } from "./net/tls-trust.ts";
import { readException, readProxy } from "./net/upstream-proxy.ts";
import { type HtmlEngineName, htmlEngines } from "./schema/html-engines.ts";

/**
 * The configuration, from environment variables. Every program takes what it needs from the one Config; each variable
 * is documented here, next to its default. Apart from it, main/ reads PARENT_PIPE, which a program sets for those that
 * it starts: their stdin ends when it does.
 */
export type Config = {
  /** DATABASE_URL: a PostgreSQL to use instead of the embedded one; only standalone, check and admin do without. */
  databaseUrl: string | undefined;
  /**
   * DATABASE_POOL_URL: the same database through a pooler in transaction mode, such as PgBouncer, for the statements of the
   * API (docs/scale.md).
   */
  databasePoolUrl: string | undefined;
  /** JOBS_DATABASE_URL: the same database, with a user that has only the rights of Jobs; `migrate` creates the user. */
  jobsDatabaseUrl: string | undefined;
  /** DATA_DIR: where the data of the embedded PostgreSQL and the first token are stored. */
  dataDir: string;
  /** CACHE_DIR: for files that can be recreated, such as a prepared database for check, and compiled code. */
  cacheDir: string;
  /** PORT: the port that the API listens on (default 4000; 0 picks a free one). */
  port: number;
  /**
   * METRICS_PORT: a port of its own for /metrics, /healthz and /readyz, on HOST; when not set, only the API on Kubernetes
   * serves metrics, on PORT.
   */
  metricsPort: number | undefined;
  /** HOST: the address that the API listens on (standalone: 127.0.0.1; elsewhere all). */
  host: string | undefined;
  /**
   * BASE_URL: the service's URL for clients, for links; when not set, they are as each request names the service.
   * Invitations and deploy hooks then have a host only if that is this machine, the address of the connection or what a
   * trusted proxy says.
   */
  baseUrl: string | undefined;
  /** FIRST_TOKEN: the first account's token, 16 characters or more; another value replaces the token. */
  firstToken: string | undefined;
  /** SECRET_KEY: encrypts secrets that are shown or sent later (deploy hooks, credentials); 16 characters or more. */
  secretKey: string | undefined;
  /**
   * FURTHER_SECRET_KEY: opens what was encrypted with it, and encrypts nothing: the next SECRET_KEY, then the one before, while it is
   * replaced (docs/secret-key.md).
   */
  furtherSecretKey: string | undefined;
  /**
   * REQUESTS_PER_MINUTE: API calls per minute of an account with its guests or, without a token, of an address; 0 means
   * no limit.
   */
  requestsPerMinute: number;
  /** TRUSTED_PROXIES: comma-separated networks of proxies whose X-Forwarded headers are believed (default: none). */
  trustedProxies: string[];
  /** WEB_ENABLED: `false`: no pages for people, only the API. */
  webEnabled: boolean;
  /** NOTIFICATIONS: `false`: nothing is sent to receivers, whatever people have set. */
  notifications: boolean;
  /** SMTP_URL: the server through which mail is sent, such as smtps://user:password@mail.example.com. */
  smtpUrl: string | undefined;
  /** MAIL_FROM: who mail is from. None is sent without. */
  mailFrom: string | undefined;
  /** RECEIVER_PRIVATE_CIDRS: comma-separated private networks in which receivers may be (default: none). */
  receiverPrivateCidrs: string[];
  /**
   * OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET: a provider of OpenID Connect that signs people in to the pages; with
   * https, or on this machine. OIDC_NAME: what people know it as. OIDC_SCOPES: what it is asked for. OIDC_GROUPS_CLAIM: the
   * claim that has groups. OIDC_PROXY: the proxy through which it is reached; otherwise as sites are.
   */
  oidc: OidcConfig | undefined;
  /** GROUP_ROLES: which role a group of the provider gives, each as `group=role`, separated by semicolons; `*` is everybody. */
  groupRoles: Record<string, Role>;
  /**
   * PROXY_SIGN_IN_CIDRS: comma-separated networks of a proxy that says who comes to the pages; none is believed otherwise.
   * PROXY_SIGN_IN_HEADERS: what its headers begin with. PROXY_SIGN_OUT: the address at which it signs people out.
   */
  proxySignIn: { cidrs: string[]; headers: string; signOut: string | undefined } | undefined;
  /** ACCESS_CONTACT: the mail address of whoever gives access, for people without. */
  accessContact: string | undefined;
  /** CORS_ORIGINS: comma-separated origins whose pages may call the API from a browser, or `*` (default: none). */
  corsOrigins: string[];
  /** JAVA_HOME, PATH: executables that may be a Java for the Nu Html Checker, the best first. */
  javaExecutables: string[];
  /** CHROME_PATH: the Chromium to use. */
  chromePath: string | undefined;
  /** BROWSER_SOCKET: the socket on which a process of another user (a cluster's sidecar) serves browsers; optional. */
  browserSocket: string | undefined;
  /** CLUSTER: `local` (Jobs are child processes, resources are rows) or `kubernetes`. */
  cluster: "local" | "kubernetes";
  /**
   * KUBERNETES_SERVICE_HOST and _PORT: the API server of the cluster in which this program is a pod; used when there is
   * neither KUBECONFIG nor ~/.kube/config. SERVICE_ACCOUNT_DIR: the folder with the pod's token and the server's CA.
   */
  serviceAccount: { server: string; folder: string } | undefined;
  /** WATCH_NAMESPACES: comma-separated namespaces whose Reports and Schedules are processed (default: NAMESPACE). */
  watchNamespaces: string[];
  /** POD_NAME: this replica's identity in leader election. */
  podName: string | undefined;
  /** CONTROLLER_DEPLOYMENT, CONTROLLER_SELECTOR: what `uninstall` stops first: the Deployment, and its pods' labels. */
  controllerDeployment: { name: string; selector: string } | undefined;
  /** LEASE_NAME: the Lease that the leading controller holds. */
  leaseName: string;
  /** SLIM_IMAGE, BROWSER_IMAGE, NU_IMAGE: the images of Jobs' pods; NU_IMAGE (default: SLIM_IMAGE) contains Java. */
  images: { slim: string; browser: string; nu: string };
  /** IMAGE_PULL_POLICY: the pull policy of Jobs' pods. */
  imagePullPolicy: string;
  /** JOB_TEMPLATE_FILE: a YAML file that is merged into the template of Jobs' pods. */
  jobTemplateFile: string | undefined;
  /** NAMESPACE: where the API creates resources and the controller creates Jobs. */
  namespace: string;
  /** ALLOWED_PRIVATE_CIDRS: comma-separated private networks that a report may visit if it starts there. */
  allowedPrivateCidrs: string[];
  /** DENIED_CIDRS: comma-separated networks that no report may visit, such as a cluster's own public ones. */
  deniedCidrs: string[];
  /** ALLOWED_ORIGINS: comma-separated origins, the only ones that reports may send requests to; all when there are none. */
  allowedOrigins: string[];
  /** HOST_ADDRESSES: comma-separated names with the addresses to use for them instead of DNS, each as `name=address`. */
  hostAddresses: string[];
  /**
   * CA_FILES: comma-separated files with certificates of further authorities, for all that is reached by TLS, as is that of
   * NODE_EXTRA_CA_CERTS. In PEM format.
   */
  caFiles: string[];
  /** CLIENT_CERTIFICATES: what is shown to hosts that ask for it, each as `host=certificate,key`, separated by semicolons. */
  clientCertificates: string[];
  /** INSECURE_TLS_HOSTS: comma-separated hosts whose certificates are not verified. */
  insecureTlsHosts: string[];
  /**
   * HTTP_PROXY, HTTPS_PROXY: the proxies through which sites with http and with https are reached, such as
   * http://user:password@proxy.example.com:3128; in lower case, too. NO_PROXY: comma-separated hosts, domains and networks
   * that are reached without.
   */
  httpProxy: string | undefined;
  httpsProxy: string | undefined;
  noProxy: string[];
  /**
   * ALLOW_LOCALHOST: `true`: reports that start at this machine may visit it; `start`: only the host and port of their
   * starting URL, here and in private networks; set by standalone and by a check for their Jobs.
   */
  allowLocalhost: boolean | "start";
  /** MAX_PAGES: the highest max_pages that a report may set; 0 means no limit. */
  maxPages: number;
  /** MAX_RATE_LIMIT: the highest rate_limit that a report may set; 0 means no limit. */
  maxRateLimit: number;
  /**
   * HTML_ENGINES: comma-separated engines that reports may choose (default: conformance, html-validate and, on one
   * machine, nu where it finds a Java runtime).
   */
  htmlEngines: HtmlEngineName[] | undefined;
  /** MAX_RUNNING_REPORTS: reports that may run at the same time; the others wait. */
  maxRunningReports: number;
  /** MAX_ACCOUNT_BYTES: an account whose results take this many bytes cannot create reports; 0 means no limit. */
  maxAccountBytes: number;
  /**
   * KEEP_PAGE_SOURCES: `false`: the source of a page is deleted once it is checked; otherwise the source of a page with
   * HTML findings is kept as long as its report.
   */
  keepPageSources: boolean;
  /** MAX_CHECKERS: checker pods (processes) at the same time, over all reports. */
  maxCheckers: number;
  /** MAX_CHECKERS_PER_JOB: checker pods of one Job at the same time, on Kubernetes. */
  maxCheckersPerJob: number;
  /** DELETION_GRACE_SECONDS: how long the rows of a deleted report or schedule are kept (default: a day). */
  deletionGraceSeconds: number;
  /**
   * KEPT_REPORT_DAYS, KEPT_SCHEDULE_RUNS, KEPT_PICTURE_DAYS, KEPT_RAW_DAYS: what each account keeps at most; 0 means no limit
   * (domain/retention/limits.ts). null is no limit here.
   */
  retention: Limits;
  /** LOG_LEVEL: error, warn, info or debug. */
  logLevel: LogLevel;
  /**
   * BASIC_AUTH: the credentials for the site of a Job's report, with all members but `host` optional:
   * {"host":…,"username":…,"password":…,"headers":[{"name":…,"value":…}]}. Set by the controller.
   */
  credentials: SiteCredentials | undefined;
  /** URL_LIST_FILE: a list of URLs that the crawler visits besides its report's (crawler/listed-urls.ts); set by check. */
  urlListFile: string | undefined;
  /** REQUEST_ID: the API request that led to a Job; set by the controller. */
  requestId: string | undefined;
};

/** What is known of the sign-in provider. */
export type OidcConfig = {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  name: string;
  scopes: string;
  groupsClaim: string;
  proxy: string | undefined;
};

/** Variables that other processes must not see. PGPASSWORD is read by node-postgres, for URLs without a password. */
export const secretVariables = [
  ...["DATABASE_URL", "DATABASE_POOL_URL", "JOBS_DATABASE_URL", "PGPASSWORD", "FIRST_TOKEN", "SECRET_KEY"],
  "FURTHER_SECRET_KEY",
  ...["BASIC_AUTH", "JOB_TOKEN", "SITE_PASSWORD", "SMTP_URL", "OIDC_CLIENT_SECRET", "OIDC_PROXY"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"],
];

const logLevels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** @throws UsageError naming the variable, the value received and what is allowed */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const listed = (name: string, separator?: string): string[] => list(text(name) ?? "", separator);
  return {
    databaseUrl: jobDatabaseUrl(databaseUrl("DATABASE_URL", text("DATABASE_URL")), text("JOB_TOKEN")),
    databasePoolUrl: databaseUrl("DATABASE_POOL_URL", text("DATABASE_POOL_URL")),
    jobsDatabaseUrl: databaseUrl("JOBS_DATABASE_URL", text("JOBS_DATABASE_URL")),
    dataDir: path.resolve(text("DATA_DIR") ?? defaultDataDir(text("XDG_DATA_HOME"))),
    cacheDir: cacheFolder(env),
    port: integer(env, "PORT", 4000, 0, 65_535),
    metricsPort: text("METRICS_PORT") === undefined ? undefined : integer(env, "METRICS_PORT", 0, 0, 65_535),
    host: text("HOST"),
    baseUrl: url("BASE_URL", text("BASE_URL"), ["http:", "https:"], "https://validator.example.com")?.replace(
      /\/+$/,
      "",
    ),
    firstToken: secret(env, "FIRST_TOKEN"),
    secretKey: secret(env, "SECRET_KEY"),
    furtherSecretKey: secret(env, "FURTHER_SECRET_KEY"),
    requestsPerMinute: integer(env, "REQUESTS_PER_MINUTE", 1_000, 0, 1_000_000),
    trustedProxies: readable("TRUSTED_PROXIES", listed("TRUSTED_PROXIES"), parseNetworks),
    webEnabled: oneOf(env, "WEB_ENABLED", ["true", "false"] as const, "true") === "true",
    notifications: oneOf(env, "NOTIFICATIONS", ["true", "false"] as const, "true") === "true",
    smtpUrl: url("SMTP_URL", text("SMTP_URL"), ["smtp:", "smtps:"], "smtps://mail.example.com"),
    mailFrom: text("MAIL_FROM"),
    receiverPrivateCidrs: readable("RECEIVER_PRIVATE_CIDRS", listed("RECEIVER_PRIVATE_CIDRS"), parseNetworks),
    oidc: oidc(text),
    proxySignIn: proxySignIn(text, listed("PROXY_SIGN_IN_CIDRS")),
    groupRoles: readGroupRoles(listed("GROUP_ROLES", ";")),
    accessContact: text("ACCESS_CONTACT"),
    corsOrigins: origins("CORS_ORIGINS", listed("CORS_ORIGINS")),
    javaExecutables: javaExecutables(env),
    chromePath: text("CHROME_PATH"),
    browserSocket: text("BROWSER_SOCKET"),
    cluster: oneOf(env, "CLUSTER", ["local", "kubernetes"] as const, "local"),
    serviceAccount: serviceAccount(text),
    watchNamespaces: [...new Set(list(text("WATCH_NAMESPACES") ?? text("NAMESPACE") ?? "default"))],
    podName: text("POD_NAME"),
    controllerDeployment: controllerDeployment(text("CONTROLLER_DEPLOYMENT"), text("CONTROLLER_SELECTOR")),
    leaseName: text("LEASE_NAME") ?? "site-validator-controller",
    images: {
      slim: text("SLIM_IMAGE") ?? "site-validator-slim",
      browser: text("BROWSER_IMAGE") ?? "site-validator-browser",
      nu: text("NU_IMAGE") ?? text("SLIM_IMAGE") ?? "site-validator-slim",
    },
    imagePullPolicy: text("IMAGE_PULL_POLICY") ?? "IfNotPresent",
    jobTemplateFile: text("JOB_TEMPLATE_FILE"),
    namespace: text("NAMESPACE") ?? "default",
    allowedPrivateCidrs: readable("ALLOWED_PRIVATE_CIDRS", listed("ALLOWED_PRIVATE_CIDRS"), parseNetworks),
    deniedCidrs: readable("DENIED_CIDRS", listed("DENIED_CIDRS"), parseNetworks),
    allowedOrigins: origins("ALLOWED_ORIGINS", listed("ALLOWED_ORIGINS"), { wildcard: false }),
    hostAddresses: readable("HOST_ADDRESSES", listed("HOST_ADDRESSES"), readHostAddresses),
    caFiles: [
      ...new Set([...listed("CA_FILES"), ...[text("NODE_EXTRA_CA_CERTS") ?? []].flat()].map((f) => path.resolve(f))),
    ],
    clientCertificates: readable("CLIENT_CERTIFICATES", listed("CLIENT_CERTIFICATES", ";"), (entries) =>
      entries.map((entry) => inFolder(entry)),
    ).map((entry) => inFolder(entry)),
    insecureTlsHosts: readable("INSECURE_TLS_HOSTS", listed("INSECURE_TLS_HOSTS"), readTlsHosts),
    ...proxies((name) => text(name.toLowerCase()) ?? text(name)),
    allowLocalhost: readAllowLocalhost(oneOf(env, "ALLOW_LOCALHOST", ["true", "false", "start"] as const, "false")),
    maxPages: integer(env, "MAX_PAGES", 5_000, 0, 1_000_000),
    maxRateLimit: integer(env, "MAX_RATE_LIMIT", 25, 0, 10_000),
    htmlEngines: engines(text("HTML_ENGINES")),
    maxRunningReports: integer(env, "MAX_RUNNING_REPORTS", 10, 1, 10_000),
    maxAccountBytes: integer(env, "MAX_ACCOUNT_BYTES", 0, 0, Number.MAX_SAFE_INTEGER),
    keepPageSources: oneOf(env, "KEEP_PAGE_SOURCES", ["true", "false"] as const, "true") === "true",
    maxCheckers: integer(env, "MAX_CHECKERS", 10, 1, 10_000),
    maxCheckersPerJob: integer(env, "MAX_CHECKERS_PER_JOB", 4, 1, 1_000),
    deletionGraceSeconds: integer(env, "DELETION_GRACE_SECONDS", 86_400, 0, 31_536_000),
    retention: {
      report_days: integer(env, "KEPT_REPORT_DAYS", 0, 0, limitMaxima.report_days) || null,
      schedule_runs: integer(env, "KEPT_SCHEDULE_RUNS", 0, 0, limitMaxima.schedule_runs) || null,
      picture_days: integer(env, "KEPT_PICTURE_DAYS", 0, 0, limitMaxima.picture_days) || null,
      raw_days: integer(env, "KEPT_RAW_DAYS", 0, 0, limitMaxima.raw_days) || null,
    },
    logLevel: oneOf(env, "LOG_LEVEL", logLevels, "info"),
    credentials: parseCredentials(env.BASIC_AUTH ?? ""),
    urlListFile: text("URL_LIST_FILE"),
    requestId: parseRequestId(text("REQUEST_ID")),
  };
}

/** The database's URL, for programs that require it. @throws UsageError when it is not set */
export function requireDatabaseUrl(config: Config): string {
  if (config.databaseUrl) return config.databaseUrl;
  throw new UsageError("DATABASE_URL is not set. Set it to postgres://user:password@host:port/database.");
}

function defaultDataDir(xdgDataHome: string | undefined): string {
  // When started by root, PostgreSQL runs as nobody, who cannot enter a home folder of mode 0700.
  if (process.getuid?.() === 0) return "/var/lib/site-validator/data";
  return path.join(xdgDataHome ?? path.join(homedir(), ".local", "share"), "site-validator");
}

/** The cache folder is private to the user: in a shared one, others could plant compiled code. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const given = env.CACHE_DIR?.trim();
  if (given) return path.resolve(given);
  if (process.getuid?.() === 0) return "/var/cache/site-validator";
  return path.join(env.XDG_CACHE_HOME?.trim() || path.join(homedir(), ".cache"), "site-validator");
}

/** JAVA_HOME, then PATH: where a Java for the Nu Html Checker may be. */
export function javaExecutables(env: NodeJS.ProcessEnv): string[] {
  const home = env.JAVA_HOME?.trim();
  const folders = [...(home ? [path.join(home, "bin")] : []), ...(env.PATH ?? "").split(path.delimiter)];
  // A relative folder would make the program depend on where it is started.
  return [...new Set(folders.filter(path.isAbsolute).map((folder) => path.join(folder, "java")))];
}

/** Where Node keeps compiled code. */
export function compiledFolder({ cacheDir }: Pick<Config, "cacheDir">): string {
  return path.join(cacheDir, "compiled");
}

/** undefined outside of a cluster, and where KUBECONFIG names another one. */
function serviceAccount(text: (name: string) => string | undefined): Config["serviceAccount"] {
  const host = text("KUBERNETES_SERVICE_HOST");
  if (host === undefined || text("KUBECONFIG") !== undefined) return undefined;
  const port = text("KUBERNETES_SERVICE_PORT") ?? "443";
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    folder: text("SERVICE_ACCOUNT_DIR") ?? "/var/run/secrets/kubernetes.io/serviceaccount",
  };
}

function controllerDeployment(name: string | undefined, selector: string | undefined) {
  if (name === undefined && selector === undefined) return undefined;
  if (name !== undefined && selector !== undefined) return { name, selector };
  throw new UsageError("CONTROLLER_DEPLOYMENT and CONTROLLER_SELECTOR belong together: set both or neither.");
}

/** @throws UsageError for half of what a provider needs, and for an issuer whose answers anybody on the way could change */
function oidc(text: (name: string) => string | undefined): OidcConfig | undefined {
  const [issuer, clientId] = [text("OIDC_ISSUER"), text("OIDC_CLIENT_ID")];
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    throw new UsageError("OIDC_ISSUER and OIDC_CLIENT_ID belong together: set both or neither.");
  const { protocol, hostname = "", username, search, hash } = URL.parse(issuer) ?? {};
  const isSafe = protocol === "https:" || (protocol === "http:" && isThisMachine(hostname));
  if (!isSafe || username || search || hash)
    throw new UsageError(
      `OIDC_ISSUER is ${JSON.stringify(issuer)}; it must be an address with https://, such as https://id.example.com/realms/city.`,
    );
  const proxy = text("OIDC_PROXY");
  if (proxy !== undefined) readProxy("OIDC_PROXY", proxy);
  return {
    ...{ issuer, clientId, clientSecret: text("OIDC_CLIENT_SECRET") },
    name: text("OIDC_NAME") ?? new URL(issuer).hostname,
    scopes: text("OIDC_SCOPES") ?? "openid email profile",
    groupsClaim: text("OIDC_GROUPS_CLAIM") ?? "groups",
    proxy,
  };
}

/** @throws UsageError for a network that is none, or one that everybody is in */
function proxySignIn(text: (name: string) => string | undefined, cidrs: string[]): Config["proxySignIn"] {
  if (cidrs.length === 0) return undefined;
  if (text("OIDC_ISSUER") !== undefined)
    throw new UsageError("PROXY_SIGN_IN_CIDRS and OIDC_ISSUER exclude each other: one of them says who comes.");
  readable("PROXY_SIGN_IN_CIDRS", cidrs, (entries) => {
    if (parseNetworks(entries).some(([, bits]) => bits === 0)) throw new Error("a network must not be all addresses.");
  });
  const headers = text("PROXY_SIGN_IN_HEADERS") ?? "X-Forwarded";
  if (!/^[A-Za-z0-9-]{1,50}$/.test(headers))
    throw new UsageError(
      `PROXY_SIGN_IN_HEADERS is ${JSON.stringify(headers)}; it must be what the names of headers begin with, such as X-Forwarded or Remote.`,
    );
  return { cidrs, headers, signOut: text("PROXY_SIGN_OUT") };
}

/** @param entries each as `group=role`; names of groups may have an equals sign @throws UsageError */
function readGroupRoles(entries: readonly string[]): Record<string, Role> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [, group = "", given = ""] = /^(.*)=([^=]*)$/.exec(entry) ?? [];
      const role = roles.find((one) => one === given.trim());
      if (role && group.trim() !== "") return [group.trim(), role];
      throw new UsageError(
        `GROUP_ROLES contains ${JSON.stringify(entry)}; each entry must be a group with ${roles.join(", ")}, such as web-team=owner; editors=editor.`,
      );
    }),
  );
}

/** The entries of a list. */
function list(text: string, separator = ","): string[] {
  return text.split(separator).flatMap((entry) => entry.trim() || []);
}

/** undefined when not set: then it depends on the machine. @throws UsageError for an unknown engine, or none at all */
function engines(given: string | undefined): HtmlEngineName[] | undefined {
  if (given === undefined) return undefined;
  const names = list(given);
  const found = htmlEngines.filter((name) => names.includes(name));
  if (found.length > 0 && found.length === new Set(names).size) return found;
  throw new UsageError(
    `HTML_ENGINES is ${JSON.stringify(given)}; it must be a comma-separated list of ${htmlEngines.join(", ")}.`,
  );
}

/** Refuses short secrets: they could be guessed, and are most likely a mistake. */
function secret(env: NodeJS.ProcessEnv, name: "FIRST_TOKEN" | "SECRET_KEY" | "FURTHER_SECRET_KEY"): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (text.length >= 16) return text;
  throw new UsageError(`${name} has ${text.length} characters; it must be random and at least 16 characters long.`);
}

function databaseUrl(name: string, value: string | undefined): string | undefined {
  return url(name, value, ["postgres:", "postgresql:"], "postgres://user:password@host:port/database");
}

/** Adds JOB_TOKEN, which the controller sets: it tells the database which report a Job is for. */
function jobDatabaseUrl(given: string | undefined, token: string | undefined): string | undefined {
  return given === undefined || token === undefined ? given : withJobToken(given, token);
}

/** Checks only the scheme: with a Unix socket the URL has a path in place of a host, which URL parsers refuse. */
function url(name: string, value: string | undefined, schemes: string[], example: string): string | undefined {
  if (value === undefined || schemes.some((scheme) => value.toLowerCase().startsWith(`${scheme}//`))) return value;
  throw new UsageError(
    `${name} must begin with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}, as in ${example}.`,
  );
}

/** @throws UsageError */
function proxies(text: (name: string) => string | undefined) {
  const [httpProxy, httpsProxy] = ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => {
    const value = text(name);
    if (value !== undefined) readProxy(name, value);
    return value;
  });
  const noProxy = readable("NO_PROXY", list(text("NO_PROXY") ?? ""), (entries) => entries.map(readException));
  return { httpProxy, httpsProxy, noProxy };
}

/** The entries of a list, if they can be read. @throws UsageError */
function readable(name: string, entries: string[], read: (entries: string[]) => unknown): string[] {
  try {
    read(entries);
    return entries;
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`);
  }
}

/** As browsers send them: scheme, host and port, without a slash at the end. */
/** @throws UsageError naming the entry that is no origin */
export function origins(name: string, given: readonly string[], { wildcard = true } = {}): string[] {
  const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text;
  const wrong = given.find((text) => !(wildcard && text === "*") && !isOrigin(text));
  if (wrong === undefined) return [...given];
  throw new UsageError(
    `${name} contains ${JSON.stringify(wrong)}; an origin is a scheme, a host and perhaps a port, such as https://app.example.com${wildcard ? ", or * for every page" : ""}.`,
  );
}

function integer(env: NodeJS.ProcessEnv, name: string, fallback: number, min: number, max: number): number {
  const text = env[name]?.trim();
  if (!text) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`${name} is ${JSON.stringify(text)}; it must be a whole number from ${min} to ${max}.`);
}

function oneOf<Value extends string>(
  env: NodeJS.ProcessEnv,
  name: string,
  allowed: readonly Value[],
  fallback: Value,
): Value {
  const text = env[name]?.trim();
  if (!text) return fallback;
  const value = allowed.find((candidate) => candidate === text);
  if (value) return value;
  throw new UsageError(`${name} is ${JSON.stringify(text)}; it must be one of ${allowed.join(", ")}.`);
}

function readAllowLocalhost(value: "true" | "false" | "start"): boolean | "start" {
  return value === "start" ? value : value === "true";
}
