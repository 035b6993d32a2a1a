/** An address of each range that is not of the public internet, as far as one can have such an address. */
export const closedRanges = {
  "0.0.0.0/8": "0.7.7.7",
  "100.64.0.0/10": "100.64.7.7",
  "172.16.0.0/12": "172.16.7.7",
  "192.0.0.0/24": "192.0.0.77",
  "192.168.0.0/16": "192.168.77.7",
  "198.18.0.0/15": "198.18.7.7",
  "224.0.0.0/3": "240.7.7.7",
  "64:ff9b::/96": "64:ff9b::a4d:1",
  "2002::/16": "2002:a4d:1::7",
  "fc00::/7": "fd77::7",
} as const;

const sslRequest = "\0\0\0\x08\x04\xd2\x16\x2f";

/** How a tunnel begins; what comes through it from a plain container, by a rule for the host, and by one for the port. */
export const tunnels = [
  ["a hello in pieces", hello({ name: "github.com", cut: 100 }), "handshake", "handshake", "handshake"],
  ["another name in pieces", hello({ name: "other.test", cut: 100 }), "handshake", "alert", "alert"],
  ["an encrypted hello", hello({ name: "github.com", ech: true }), "handshake", "alert", "handshake"],
  ["another name in front of it", hello({ name: "other.test", ech: true }), "handshake", "alert", "alert"],
  ["Postgres", to(9000, sslRequest), `answered ${sslRequest}`, "ended", `answered ${sslRequest}`],
  ["the server speaks first", to(2525, ""), "answered 220 greetings", "ended", "answered 220 greetings"],
] as const;

function hello(sent: { name: string; cut?: number; ech?: boolean }): object {
  return { target: "github.com:443", ...sent };
}

function to(port: number, raw: string): object {
  return { target: `github.com:${port}`, raw };
}
