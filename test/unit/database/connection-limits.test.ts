import { expect } from "chai";
import { subscribeBackoff } from "../../../src/database/connection/client.ts";
import {
  comparisonLimits,
  connectionOptions,
  crawlLimits,
  defaultLimits,
  migrationLimits,
  SERVER_KEEPALIVE_MS,
} from "../../../src/database/connection/connection-options.ts";
import { defaultBackoff } from "../../../src/domain/backoff.ts";

const MINUTE = 60_000;

describe("the limits of a connection to the database", () => {
  it("let work go on within a minute of a fault: a last failed try, the longest pause, and a new connection", () => {
    const { queryMs, connectMs } = defaultLimits;
    expect(queryMs + defaultBackoff.maxMs + connectMs).to.be.below(MINUTE);
  });

  it("let a crawl go on within a minute", () => {
    expect(crawlLimits.queryMs + 2_000 + 2 * crawlLimits.connectMs).to.be.below(MINUTE);
  });

  it("let a report end within a minute when the database falls silent in its comparison", () => {
    expect(comparisonLimits.queryMs + 2_000 + defaultLimits.connectMs).to.be.below(MINUTE);
  });

  it("let a silent listener be replaced within a minute", () => {
    const { heartbeatMs, queryMs, connectMs } = defaultLimits;
    expect(heartbeatMs + queryMs + subscribeBackoff.maxMs + connectMs).to.be.below(MINUTE);
  });

  it("free the locks of a client that has vanished within half a minute", () => {
    expect(SERVER_KEEPALIVE_MS).to.be.at.most(MINUTE / 2);
    expect(defaultLimits.idleInTransactionMs).to.be.at.most(MINUTE / 2);
  });

  const ofComparisons = { ...defaultLimits, ...comparisonLimits };
  for (const [name, limits] of Object.entries({ defaultLimits, crawlLimits, ofComparisons, migrationLimits }))
    it(`end a statement at the server before the client gives up: ${name}`, () => {
      expect(limits.lockMs).to.be.at.most(limits.statementMs);
      expect(limits.statementMs).to.be.below(limits.queryMs);
    });

  it("apply to every connection, with a keepalive at both ends", () => {
    const address = { url: "postgres://a@b/c", applicationName: "test" };
    expect(connectionOptions({ ...address, limits: { queryMs: 1 } })).to.deep.equal({
      connectionString: "postgres://a@b/c",
      application_name: "test",
      options:
        "-c TimeZone=UTC -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000",
      connectionTimeoutMillis: 8_000,
      query_timeout: 1,
      statement_timeout: 12_000,
      lock_timeout: 8_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
  });
});
