import { parseHost } from "../host/host.ts";
import { type Target, targetText } from "../host/target.ts";
import { type Naming, naming } from "../policy/decide.ts";
import { allowCommand, type Refusal } from "../refusal.ts";
import type { Hello } from "./hello.ts";
import type { Sniffed } from "./sniff.ts";

/** needed: how closely a rule must name the target for this to pass; it must go on doing so. */
export type ServerNameCheck = { passed: true; needed: Naming } | { passed: false; refusal: Refusal };

type Bytes = Exclude<Sniffed, { kind: "http" }>;

interface Problem {
  rule: string;
  why: string;
  /** undefined: no rule makes it good. */
  needed: Naming | undefined;
}

/**
 * Whether what a client begins a tunnel with fits the host it asked for. A TLS hello must name that host. What names
 * none (no server name, an encrypted hello, another protocol, silence) could be for anybody behind the same address, so
 * it passes only where a rule names host and port; a hello to an address, which has no name to send, where one names
 * the address. Plain HTTP is not for this function: its Host header is looked at, request by request.
 */
export function checkServerName(
  sandboxName: string,
  target: Target,
  sniffed: Bytes,
  named: Naming,
): ServerNameCheck {
  const problem = problemOf(sniffed, target);
  if (!problem) return { passed: true, needed: naming.none };
  const { rule, why, needed } = problem;
  if (needed !== undefined && named >= needed) return { passed: true, needed };
  const command = allowCommand(sandboxName, "allow", target);
  const remedy = needed && `To allow it for this host and port, run on the host:\n  ${command}`;
  return { passed: false, refusal: { rule, why, remedy: remedy || undefined } };
}

function problemOf(sniffed: Bytes, target: Target): Problem | undefined {
  const where = targetText(target);
  const opaque = (rule: string, why: string) => ({ rule, why, needed: naming.hostAndPort });
  switch (sniffed.kind) {
    case "silent":
      return opaque("not-tls", `The client of ${where} waits for the server to speak.`);
    case "ended":
      return opaque("not-tls", `The client of ${where} sent nothing.`);
    case "other":
      return opaque("not-tls", `What is sent to ${where} is not TLS.`);
    case "broken-tls":
      return { rule: "sni-mismatch", why: `The TLS hello to ${where} cannot be read.`, needed: undefined };
    case "tls":
      return helloProblem(sniffed.hello, target, where);
  }
}

function helloProblem({ serverName, encrypted }: Hello, target: Target, where: string): Problem | undefined {
  if (serverName !== undefined && !isName(serverName, target)) {
    const hidden = encrypted ? " It is an encrypted hello (ECH), whose true name cannot be seen." : "";
    const why = `The TLS hello names another server than ${where}.${hidden}`;
    return { rule: "sni-mismatch", why, needed: undefined };
  }
  if (encrypted) {
    const why = `The TLS hello to ${where} is encrypted (ECH): the name it is for cannot be seen.`;
    return { rule: "ech", why, needed: naming.hostAndPort };
  }
  if (target.host.kind !== "name") {
    return {
      rule: "no-sni",
      why: `A TLS hello to the address ${where} names no server.`,
      needed: naming.host,
    };
  }
  if (serverName !== undefined) return undefined;
  return { rule: "no-sni", why: `The TLS hello to ${where} names no server.`, needed: naming.hostAndPort };
}

function isName(serverName: string, target: Target): boolean {
  const host = parseHost(serverName);
  return host.ok && /^[\0-\x7f]*$/.test(serverName) && host.value.text === target.host.text;
}
