/** Folders that only root writes; the image's own PATH may name folders of the agent. */
export const rootPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Variables that make node, the loader or a shell run or load something before our first line does. */
const obeyed =
  /^(?:NODE_.*|LD_.*|UV_.*|OPENSSL_.*|SSL_.*|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|MALLOC_.*|BASH_ENV|ENV)$/;

export interface SplitEnvironment {
  /** Of the container, and so of the supervisor. */
  container: string[];
  /** Of commands, over the container's. */
  commands: Record<string, string>;
}

/**
 * Keeps the supervisor, which is root, from obeying what an image sets for commands: there a `NODE_OPTIONS` would
 * load a file of the agent's into it. The container's variables are blanked and the
 * commands get theirs from the supervisor's configuration.
 */
export function splitEnvironment(image: readonly string[]): SplitEnvironment {
  const container: string[] = [`PATH=${rootPath}`];
  const commands: Record<string, string> = { PATH: rootPath };
  for (const [name, value] of image.map(parse)) {
    if (name === "PATH") commands[name] = value;
    if (!obeyed.test(name)) continue;
    container.push(`${name}=`);
    commands[name] = value;
  }
  return { container, commands };
}

export function parse(variable: string): [string, string] {
  const at = variable.indexOf("=");
  return at < 0 ? [variable, ""] : [variable.slice(0, at), variable.slice(at + 1)];
}
