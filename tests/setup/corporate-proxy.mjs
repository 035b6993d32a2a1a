/*
 * A proxy as companies have one between their machines and the internet: CONNECT for tunnels, absolute URLs for plain
 * requests, and nothing without the right word. Everything leads to one address. What it is asked for is one line each
 * on stdout; the first line is its port.
 *
 *   corporate-proxy.mjs USER:WORD ADDRESS
 */
import { request as ask, createServer } from "node:http";
import { connect } from "node:net";

const [word = "", address = ""] = process.argv.slice(2);
const expected = `Basic ${Buffer.from(word).toString("base64")}`;

const server = createServer((request, response) => {
  const refused = request.headers["proxy-authorization"] !== expected;
  console.log(`${request.method} ${request.url} ${refused ? "refused" : "taken"}`);
  if (refused) return void response.writeHead(407).end();
  const { port, pathname } = new URL(request.url ?? "");
  const { method, headers } = request;
  const onward = ask({ host: address, port: port || 80, path: pathname, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.writeHead(502).end());
  request.pipe(onward);
});

server.on("connect", (request, socket, head) => {
  const refused = request.headers["proxy-authorization"] !== expected;
  console.log(`CONNECT ${request.url} ${refused ? "refused" : "taken"}`);
  if (refused) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
  const port = Number((request.url ?? "").split(":")[1]);
  const onward = connect(port, address, () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    onward.write(head);
    onward.pipe(socket).pipe(onward);
  });
  onward.on("error", () => socket.destroy());
  socket.on("error", () => onward.destroy());
});

server.listen(0, "127.0.0.1", () => {
  const bound = server.address();
  console.log(typeof bound === "object" ? bound?.port : bound);
});
