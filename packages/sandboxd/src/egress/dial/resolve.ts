import { lookup, Resolver } from "node:dns/promises";
import { addressText, parseAddress } from "../host/address.ts";

/** How a name becomes addresses. It is asked once a connection; what it says is checked and then dialled. */
export type Resolve = (name: string) => Promise<string[]>;

/** A lookup that takes longer has failed for whoever waits for it. */
const lookupTimeoutMs = 10_000;

/**
 * The resolver of this machine, or the servers in OPENTIGER_DNS_SERVERS (`127.0.0.1:5353,…`). The addresses are in
 * canonical form, an IPv4 address never wrapped in an IPv6 one.
 */
export function resolver(env: NodeJS.ProcessEnv): Resolve {
  const servers = (env["OPENTIGER_DNS_SERVERS"] ?? "").split(",").flatMap((server) => server.trim() || []);
  return canonical(servers.length > 0 ? askServers(servers) : askSystem);
}

/** For the names in the host's own settings. */
export const systemResolver: Resolve = canonical(askSystem);

function canonical(ask: Resolve): Resolve {
  return async (name) => {
    const answers = await inTime(ask(name));
    const addresses = answers.flatMap((text) => parseAddress(text) ?? []).map(addressText);
    if (addresses.length === 0) throw new Error("the name has no address");
    return [...new Set(addresses)];
  };
}

async function askSystem(name: string): Promise<string[]> {
  const answers = await lookup(name, { all: true, verbatim: true });
  return answers.map((answer) => answer.address);
}

function askServers(servers: string[]): Resolve {
  const asked = new Resolver({ timeout: 2000, tries: 2 });
  asked.setServers(servers);
  return async (name) => {
    const [four, six] = await Promise.allSettled([asked.resolve4(name), asked.resolve6(name)]);
    if (four.status === "rejected" && six.status === "rejected") throw four.reason;
    return [four, six].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timed out")), lookupTimeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
