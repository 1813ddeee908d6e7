import path from "node:path";
import { expect } from "chai";
import { readConfig } from "../../../src/config.ts";
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

  it("watches the own namespace unless others are named, each once", () => {
    expect(readConfig({ NAMESPACE: "site-validator" }).watchNamespaces).to.deep.equal(["site-validator"]);
    const named = { NAMESPACE: "site-validator", WATCH_NAMESPACES: "a, b,a" };
    expect(readConfig(named)).to.deep.include({ namespace: "site-validator", watchNamespaces: ["a", "b"] });
  });

  it("accepts secrets of 16 characters", () => {
    const secret = "0123456789abcdef";
    const config = readConfig({ FIRST_TOKEN: secret, SECRET_KEY: ` ${secret}\n` });
    expect(config).to.include({ firstToken: secret, secretKey: secret });
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

  it("does not show the password of a wrong DATABASE_URL", () => {
    expect(() => readConfig({ DATABASE_URL: "mysql://root:hunter2@db/x" }))
      .to.throw(UsageError)
      .and.not.match(/hunter2/);
  });
});
