import path from "node:path";
import { expect } from "chai";
import { compiledFolder, readConfig, requireDatabaseUrl, secretVariables } from "../../../src/config.ts";
import { UsageError } from "../../../src/domain/errors.ts";

describe("the configuration", () => {
  it("needs nothing", () => {
    const config = readConfig({});
    expect(config).to.include({ port: 4000, maxPages: 5_000, maxRateLimit: 25, logLevel: "info", cluster: "local" });
    expect(config.databaseUrl).to.equal(undefined);
    expect([config.namespace, config.watchNamespaces]).to.deep.equal(["default", ["default"]]);
    expect(config.allowedPrivateCidrs).to.deep.equal([]);
  });

  it("accepts a database on a Unix socket, with its path in place of the host", () => {
    const url = "postgres://user:password@%2Ftmp%2Fsocket/site_validator";
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).to.equal(url);
  });

  it("drops the slash at the end of BASE_URL", () => {
    expect(readConfig({ BASE_URL: "https://example.com/validator/" }).baseUrl).to.equal(
      "https://example.com/validator",
    );
  });

  it("has the API server of the cluster in which it is a pod, unless KUBECONFIG names another one", () => {
    const pod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "6443" };
    const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
    expect(readConfig(pod).serviceAccount).to.deep.equal({ server: "https://10.96.0.1:6443", folder });
    const there = { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1", SERVICE_ACCOUNT_DIR: "/tokens" };
    expect(readConfig(there).serviceAccount).to.deep.equal({ server: "https://[fd00::1]:6443", folder: "/tokens" });
    expect(readConfig({ ...pod, KUBECONFIG: "/home/ada/.kube/config" }).serviceAccount).to.equal(undefined);
    expect(readConfig({}).serviceAccount).to.equal(undefined);
  });

  it("knows a sign-in provider by its address and our name there, and which roles groups give", () => {
    const given = { OIDC_ISSUER: "https://id.example.com/realms/city", OIDC_CLIENT_ID: "checks" };
    expect(readConfig({}).oidc).to.equal(undefined);
    expect(readConfig(given).oidc).to.deep.equal({
      ...{ issuer: given.OIDC_ISSUER, clientId: "checks", clientSecret: undefined, name: "id.example.com" },
      ...{ scopes: "openid email profile", groupsClaim: "groups", proxy: undefined },
    });
    expect(readConfig({ ...given, OIDC_ISSUER: "http://localhost:8080" }).oidc?.name).to.equal("localhost");
    const groups = "cn=web,ou=groups=owner; writers = editor;*=reader";
    expect(readConfig({ GROUP_ROLES: groups }).groupRoles).to.deep.equal({
      "cn=web,ou=groups": "owner",
      writers: "editor",
      "*": "reader",
    });
    const proxy = { PROXY_SIGN_IN_CIDRS: "10.1.2.3/32, fd00::/8", PROXY_SIGN_IN_HEADERS: "Remote" };
    const cidrs = ["10.1.2.3/32", "fd00::/8"];
    expect(readConfig(proxy).proxySignIn).to.deep.equal({ cidrs, headers: "Remote", signOut: undefined });
    for (const [wrong, words] of [
      [{ OIDC_ISSUER: "https://id.example.com" }, "belong together"],
      [{ ...given, OIDC_ISSUER: "http://id.example.com" }, "https://"],
      [{ ...given, OIDC_ISSUER: "https://user:password@id.example.com" }, "https://"],
      [{ ...given, OIDC_PROXY: "socks5://proxy" }, "OIDC_PROXY"],
      [{ ...given, PROXY_SIGN_IN_CIDRS: "10.0.0.1/32" }, "exclude each other"],
      [{ PROXY_SIGN_IN_CIDRS: "0.0.0.0/0" }, "all addresses"],
      [{ PROXY_SIGN_IN_CIDRS: "10.0.0.1" }, "CIDR"],
      [{ PROXY_SIGN_IN_CIDRS: "10.0.0.1/32", PROXY_SIGN_IN_HEADERS: "X Y" }, "Remote"],
      [{ GROUP_ROLES: "web=admin" }, "reader, editor, owner"],
      [{ GROUP_ROLES: "web" }, "web-team=owner"],
    ] as const)
      expect(() => readConfig(wrong)).to.throw(UsageError, words);
  });

  it("watches the own namespace unless others are named, each once", () => {
    expect(readConfig({ NAMESPACE: "site-validator" }).watchNamespaces).to.deep.equal(["site-validator"]);
    const named = { NAMESPACE: "site-validator", WATCH_NAMESPACES: "a, b,a" };
    expect(readConfig(named)).to.deep.include({ namespace: "site-validator", watchNamespaces: ["a", "b"] });
  });

  it("accepts secrets of 16 characters", () => {
    const secret = "0123456789abcdef";
    const config = readConfig({ FIRST_TOKEN: secret, SECRET_KEY: ` ${secret}\n`, FURTHER_SECRET_KEY: secret });
    expect(config).to.include({ firstToken: secret, secretKey: secret, furtherSecretKey: secret });
    expect(secretVariables).to.include.members(["SECRET_KEY", "FURTHER_SECRET_KEY"]);
  });

  it("lists the HTML engines that the operator offers, in their own order", () => {
    expect(readConfig({}).htmlEngines).to.equal(undefined);
    expect(readConfig({ HTML_ENGINES: " nu, conformance " }).htmlEngines).to.deep.equal(["conformance", "nu"]);
  });

  it("names files of certificates absolutely, also those that Node trusts", () => {
    const { caFiles, clientCertificates } = readConfig({
      CA_FILES: "/a.pem, b.pem",
      NODE_EXTRA_CA_CERTS: "/a.pem",
      CLIENT_CERTIFICATES: "A.example:8443=/c.pem,k.pem; [::1]=/d.pem",
    });
    expect(caFiles).to.deep.equal(["/a.pem", path.resolve("b.pem")]);
    expect(clientCertificates).to.deep.equal([`a.example:8443=/c.pem,${path.resolve("k.pem")}`, "[::1]=/d.pem"]);
    expect(readConfig({ CLIENT_CERTIFICATES: clientCertificates.join(";") })).to.deep.include({ clientCertificates });
  });

  const wrong: [variable: string, value: string, message: RegExp][] = [
    ["PORT", "http", /PORT is "http"; it must be a whole number from 0 to 65535/],
    ["PORT", "70000", /from 0 to 65535/],
    ["LOG_LEVEL", "loud", /LOG_LEVEL is "loud"; it must be one of error, warn, info, debug/],
    [
      "HTML_ENGINES",
      "conformance,w3c",
      /HTML_ENGINES is "conformance,w3c"; it must be .*list of conformance, html-validate, nu/,
    ],
    ["HTML_ENGINES", " , ", /it must be a comma-separated list/],
    ["BASE_URL", "example.com", /BASE_URL must begin with http:\/\/ or https:\/\//],
    ["DATABASE_URL", "nope", /DATABASE_URL must begin with postgres:\/\/ or postgresql:\/\//],
    ["FIRST_TOKEN", "abc", /FIRST_TOKEN has 3 characters; it must be random and at least 16 characters long/],
    ["SECRET_KEY", "fifteen letters", /SECRET_KEY has 15 characters/],
    ["FURTHER_SECRET_KEY", "fifteen letters", /FURTHER_SECRET_KEY has 15 characters/],
    ["CORS_ORIGINS", "https://app.example.com/", /CORS_ORIGINS contains "https:\/\/app.example.com\/"; an origin is /],
    ["CORS_ORIGINS", "https://a.example,app.example.com", /contains "app.example.com"/],
    ["CORS_ORIGINS", "null", /contains "null"/],
    ["ALLOWED_ORIGINS", "*", /ALLOWED_ORIGINS contains "\*"; an origin is .*app\.example\.com\.$/],
    ["TRUSTED_PROXIES", "10.0.0.1/33", /TRUSTED_PROXIES: "10.0.0.1\/33" is not a network in CIDR notation/],
    ["DENIED_CIDRS", "8.8.8.8", /DENIED_CIDRS: "8.8.8.8" is not a network in CIDR notation/],
    ["HOST_ADDRESSES", "shop.example", /HOST_ADDRESSES: "shop.example" is not a host name with its address/],
    ["CLIENT_CERTIFICATES", "a.pem", /CLIENT_CERTIFICATES: "a.pem" is not a host with files, such as shop/],
    ["CLIENT_CERTIFICATES", "a=b,c,d", /"a=b,c,d" is not a host with files/],
    ["INSECURE_TLS_HOSTS", "https://a", /INSECURE_TLS_HOSTS: "https:\/\/a" is not a host, such as shop/],
    ["INSECURE_TLS_HOSTS", "a:70000", /"a:70000" is not a host/],
    ["ALLOWED_PRIVATE_CIDRS", "10.0.0.0/8,inside", /ALLOWED_PRIVATE_CIDRS: "inside" is not a network in CIDR notation/],
  ];
  for (const [variable, value, message] of wrong) {
    it(`refuses ${variable}=${value}, and says what is allowed`, () => {
      expect(() => readConfig({ [variable]: value })).to.throw(UsageError, message);
    });
  }

  const numbers: [variable: string, member: string, byDefault: number | null, min: number, max: number][] = [
    ["PORT", "port", 4_000, 0, 65_535],
    ["REQUESTS_PER_MINUTE", "requestsPerMinute", 1_000, 0, 1_000_000],
    ["MAX_PAGES", "maxPages", 5_000, 0, 1_000_000],
    ["MAX_RATE_LIMIT", "maxRateLimit", 25, 0, 10_000],
    ["MAX_RUNNING_REPORTS", "maxRunningReports", 10, 1, 10_000],
    ["MAX_ACCOUNT_BYTES", "maxAccountBytes", 0, 0, Number.MAX_SAFE_INTEGER],
    ["MAX_CHECKERS", "maxCheckers", 10, 1, 10_000],
    ["MAX_CHECKERS_PER_JOB", "maxCheckersPerJob", 4, 1, 1_000],
    ["DELETION_GRACE_SECONDS", "deletionGraceSeconds", 86_400, 0, 31_536_000],
    ["KEPT_REPORT_DAYS", "retention.report_days", null, 1, 36_500],
    ["KEPT_SCHEDULE_RUNS", "retention.schedule_runs", null, 1, 100_000],
    ["KEPT_PICTURE_DAYS", "retention.picture_days", null, 1, 36_500],
    ["KEPT_RAW_DAYS", "retention.raw_days", null, 1, 36_500],
  ];
  for (const [variable, member, byDefault, min, max] of numbers)
    it(`takes whole numbers from ${min} to ${max} for ${variable}, by default ${byDefault ?? "no limit"}`, () => {
      const read = (value?: string): unknown => {
        const config = readConfig(value === undefined ? {} : { [variable]: value });
        return member.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], config);
      };
      expect([undefined, "", ` ${min} `, String(max)].map(read)).to.deep.equal([byDefault, byDefault, min, max]);
      for (const beyond of [min === 0 || member.includes(".") ? -1 : min - 1, max + 1, 1.5, "x"])
        expect(() => read(String(beyond)), String(beyond)).to.throw(UsageError, variable);
    });

  it("takes switches that are on by default, and off when they say so", () => {
    for (const [variable, member] of [
      ["WEB_ENABLED", "webEnabled"],
      ["NOTIFICATIONS", "notifications"],
      ["KEEP_PAGE_SOURCES", "keepPageSources"],
    ] as const) {
      const values = [{}, { [variable]: "true" }, { [variable]: "false" }].map((env) => readConfig(env)[member]);
      expect(values, variable).to.deep.equal([true, true, false]);
      expect(() => readConfig({ [variable]: "no" })).to.throw(UsageError, /it must be one of true, false/);
    }
    expect(
      ["true", "false", "start", ""].map((value) => readConfig({ ALLOW_LOCALHOST: value }).allowLocalhost),
    ).to.deep.equal([true, false, "start", false]);
  });

  it("takes a proxy in capitals or not, the latter first, and shows its password to nobody", () => {
    const [http, https] = ["http://ada:pass@a.example:3128", "http://b.example:3128"];
    const none = { httpProxy: undefined, httpsProxy: undefined, noProxy: [] };
    expect(readConfig({})).to.deep.include(none);
    expect(readConfig({ HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: ".example.com, 10.0.0.0/8" })).to.deep.include({
      ...{ httpProxy: http, httpsProxy: https, noProxy: [".example.com", "10.0.0.0/8"] },
    });
    expect(readConfig({ HTTP_PROXY: "http://other.example", http_proxy: http, no_proxy: "a.example" })).to.deep.include(
      {
        ...{ ...none, httpProxy: http, noProxy: ["a.example"] },
      },
    );
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY"])
      expect(() => readConfig({ [name]: "socks://a.example" })).to.throw(UsageError, name);
    expect(secretVariables).to.include.members(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]);
  });

  it("has the names of a cluster's objects, unless others are given", () => {
    expect(readConfig({})).to.deep.include({
      leaseName: "site-validator-controller",
      imagePullPolicy: "IfNotPresent",
      images: { slim: "site-validator-slim", browser: "site-validator-browser", nu: "site-validator-slim" },
      controllerDeployment: undefined,
    });
    const given = readConfig({ SLIM_IMAGE: "s", BROWSER_IMAGE: "b", LEASE_NAME: "l", IMAGE_PULL_POLICY: "Always" });
    expect(given).to.deep.include({
      images: { slim: "s", browser: "b", nu: "s" },
      leaseName: "l",
      imagePullPolicy: "Always",
    });
    expect(readConfig({ SLIM_IMAGE: "s", NU_IMAGE: "n" }).images.nu).to.equal("n");
  });

  it("takes the controller's name with its selector, and neither alone", () => {
    const both = { CONTROLLER_DEPLOYMENT: "controller", CONTROLLER_SELECTOR: "app=controller" };
    expect(readConfig(both).controllerDeployment).to.deep.equal({ name: "controller", selector: "app=controller" });
    for (const [name, value] of Object.entries(both))
      expect(() => readConfig({ [name]: value })).to.throw(UsageError, /belong together/);
  });

  it("has folders of the user, or those that are named, and compiled code in that of what can be made again", () => {
    const named = readConfig({ CACHE_DIR: " cache ", DATA_DIR: "data" });
    expect(named).to.include({ cacheDir: path.resolve("cache"), dataDir: path.resolve("data") });
    expect(compiledFolder(named)).to.equal(path.resolve("cache", "compiled"));
    const own = readConfig({ XDG_CACHE_HOME: "/home/ada/c", XDG_DATA_HOME: "/home/ada/d" });
    const isRoot = process.getuid?.() === 0;
    expect(own.cacheDir).to.equal(isRoot ? "/var/cache/site-validator" : "/home/ada/c/site-validator");
    expect(own.dataDir).to.equal(isRoot ? "/var/lib/site-validator/data" : "/home/ada/d/site-validator");
  });

  it("serves metrics on a port of its own only where one is named", () => {
    expect(["", "0", "65535"].map((METRICS_PORT) => readConfig({ METRICS_PORT }).metricsPort)).to.deep.equal([
      ...[undefined, 0, 65_535],
    ]);
    for (const METRICS_PORT of ["-1", "65536"]) expect(() => readConfig({ METRICS_PORT })).to.throw(UsageError);
  });

  it("takes several ways to a database, each with its own check", () => {
    const url = "postgresql://a@db/site";
    for (const [variable, member] of [
      ["DATABASE_URL", "databaseUrl"],
      ["DATABASE_POOL_URL", "databasePoolUrl"],
      ["JOBS_DATABASE_URL", "jobsDatabaseUrl"],
    ] as const) {
      expect(readConfig({ [variable]: url })[member]).to.equal(url);
      expect(() => readConfig({ [variable]: "db/site" })).to.throw(UsageError, variable);
    }
  });

  it("gives a Job's token to its database with the URL", () => {
    const DATABASE_URL = "postgres://jobs@db/site";
    expect(readConfig({ DATABASE_URL, JOB_TOKEN: "a.b" }).databaseUrl).to.equal(`${DATABASE_URL}?job_token=a.b`);
    expect(readConfig({ JOB_TOKEN: "a.b" }).databaseUrl).to.equal(undefined);
    expect(() => requireDatabaseUrl(readConfig({}))).to.throw(UsageError, /DATABASE_URL is not set/);
  });

  it("does not show the password of a wrong DATABASE_URL", () => {
    expect(() => readConfig({ DATABASE_URL: "mysql://root:hunter2@db/x" }))
      .to.throw(UsageError)
      .and.not.match(/hunter2/);
  });
});
