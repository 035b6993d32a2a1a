/** What the loader and libc of any program obey before its first line runs. */
const obeyed = /^(?:LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|RESOLV_.*|HOSTALIASES)$/;

/**
 * setpriv is still root when it starts, so a library that the agent can write must not be loaded into it. These
 * variables are taken out of its environment and given to the command behind it, where `env` is the agent already.
 */
export function loaderVariablesApart(env: Readonly<Record<string, string>>): {
  root: Record<string, string>;
  agent: string[];
} {
  const names = Object.keys(env).filter((name) => obeyed.test(name));
  const root = Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
  return { root, agent: names.map((name) => `${name}=${env[name]}`) };
}
