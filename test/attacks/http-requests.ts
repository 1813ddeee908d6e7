/**
 * Requests that two programs may read differently: a proxy in front of the service, and the service.
 * HOST is the service's host and port. Each must be refused with 400, and be the last of its connection.
 */
export const ambiguousRequests: { name: string; lines: string[]; inBody?: boolean }[] = [
  { name: "two Host headers", lines: ["GET / HTTP/1.1", "Host: HOST", "Host: evil.example"] },
  { name: "two equal Host headers", lines: ["GET / HTTP/1.1", "Host: HOST", "Host: HOST"] },
  { name: "no Host header", lines: ["GET / HTTP/1.1"] },
  { name: "a Host header with two hosts", lines: ["GET / HTTP/1.1", "Host: HOST, evil.example"] },
  { name: "a Host header with userinfo", lines: ["GET / HTTP/1.1", "Host: HOST@evil.example"] },
  { name: "a Host header with a path", lines: ["GET / HTTP/1.1", "Host: HOST/evil"] },
  { name: "an empty Host header", lines: ["GET / HTTP/1.1", "Host:"] },
  { name: "another host in the request line", lines: ["GET http://evil.example/ HTTP/1.1", "Host: HOST"] },
  {
    name: "two Content-Length headers",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 2", "Content-Length: 3", "", "{}x"],
  },
  {
    name: "two equal Content-Length headers",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 2", "Content-Length: 2", "", "{}"],
  },
  {
    name: "a Content-Length with two numbers",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 2, 2", "", "{}"],
  },
  { name: "a Content-Length with a sign", lines: ["POST / HTTP/1.1", "Host: HOST", "Content-Length: +2", "", "{}"] },
  {
    name: "a Content-Length in hexadecimal",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 0x2", "", "{}"],
  },
  {
    name: "Content-Length before Transfer-Encoding",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 5", "Transfer-Encoding: chunked", "", "0", "", ""],
  },
  {
    name: "Transfer-Encoding before Content-Length",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked", "Content-Length: 5", "", "0", "", ""],
  },
  {
    name: "a coding after chunked",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked, identity", "", "0", "", ""],
  },
  {
    name: "a coding that is not chunked",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: xchunked", "", "0", "", ""],
  },
  {
    name: "two Transfer-Encoding headers",
    lines: [
      "POST / HTTP/1.1",
      "Host: HOST",
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: identity",
      "",
      "0",
      "",
      "",
    ],
  },
  {
    name: "Transfer-Encoding in HTTP/1.0",
    lines: ["POST / HTTP/1.0", "Host: HOST", "Transfer-Encoding: chunked", "", "0", "", ""],
  },
  {
    name: "a space before the colon of Transfer-Encoding",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding : chunked", "", "0", "", ""],
  },
  { name: "a header that goes on in the next line", lines: ["GET / HTTP/1.1", "Host: HOST", "X-A: one", " two"] },
  {
    name: "Transfer-Encoding that goes on in the next line",
    lines: ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding:", " chunked", "", "0", "", ""],
  },
  {
    name: "a header line before the first header that begins with a space",
    lines: ["GET / HTTP/1.1", " Host: evil.example", "Host: HOST"],
  },
  { name: "a carriage return alone within a header", lines: ["GET / HTTP/1.1", "Host: HOST", "X-A: one\rX-B: two"] },
  { name: "a line feed alone between headers", lines: ["GET / HTTP/1.1", "Host: HOST\nX-A: one"] },
  { name: "a NUL in a header", lines: ["GET / HTTP/1.1", "Host: HOST", "X-A: o\0ne"] },
  {
    name: "a chunk's size with a sign",
    inBody: true,
    lines: ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked", "", "+2", "{}", "0", "", ""],
  },
  {
    name: "a chunk that is longer than its size",
    inBody: true,
    lines: ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked", "", "2", "{}{}", "0", "", ""],
  },
  {
    name: "two Authorization headers",
    lines: ["GET / HTTP/1.1", "Host: HOST", "Authorization: Bearer one", "Authorization: Bearer two"],
  },
  {
    name: "two Content-Type headers",
    lines: [
      "POST / HTTP/1.1",
      "Host: HOST",
      "Content-Type: application/json",
      "Content-Type: text/plain",
      "Content-Length: 2",
      "",
      "{}",
    ],
  },
];
