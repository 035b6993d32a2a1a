/**
 * The address of the host's `origin` as the sandbox may know it: for reading and for links, so without user,
 * password or token. A path of the host, or anything else than a public kind of address, is left out.
 */
export function publicOrigin(url: string | undefined): string | undefined {
  if (!url || /[\p{Cc}\s]/u.test(url)) return undefined;
  const short = /^(?:[^@:/]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/.exec(url);
  // `git@host:owner/name`: the user is how the server is told apart from a path, and no secret.
  if (short && !url.includes("://")) return `git@${short[1]}:${short[2]}`;
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (!["http:", "https:", "ssh:", "git+ssh:"].includes(parsed.protocol) || parsed.hostname === "")
    return undefined;
  parsed.password = "";
  parsed.username = parsed.protocol.includes("ssh") && parsed.username ? "git" : "";
  parsed.search = "";
  parsed.hash = "";
  return parsed.href;
}
