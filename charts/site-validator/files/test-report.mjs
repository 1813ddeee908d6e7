// helm test runs this: it creates a report of one page through the API and waits until it is complete.
const { API, TOKEN, STARTING_URL, TIMEOUT_SECONDS } = process.env;
const deadline = Date.now() + Number(TIMEOUT_SECONDS) * 1000;

async function call(method, path, attributes) {
  const response = await fetch(`${API}${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/vnd.api+json" },
    body: attributes && JSON.stringify({ data: { type: "report", attributes } }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
  return text ? JSON.parse(text).data : undefined;
}

let report = await call("POST", "/reports", { starting_url: STARTING_URL, max_pages: 1, perform_html_checks: true });
const path = `/reports/${report.id}`;
console.log(`report ${report.id} of ${STARTING_URL}`);
let phase;
while (report.attributes.phase !== "Complete") {
  if (report.attributes.phase !== phase) console.log((phase = report.attributes.phase));
  if (phase === "Failed") throw new Error(`The report failed: ${JSON.stringify(report.attributes.failure)}`);
  if (Date.now() > deadline) throw new Error(`The report was ${phase} after ${TIMEOUT_SECONDS} s.`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  report = await call("GET", path);
}
console.log("Complete", JSON.stringify({ pages: report.attributes.num_pages, checks: report.attributes.checks }));
await call("DELETE", path);
