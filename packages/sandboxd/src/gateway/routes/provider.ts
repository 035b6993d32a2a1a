export const providers = ["anthropic", "openai", "chatgpt"] as const;
export type Provider = (typeof providers)[number];

interface ProviderFacts {
  title: string;
  /** The API's own host: where a key of somebody else's would work, too. */
  host: string;
  /** Used unless the environment names another. */
  url: string;
  variable: string;
}

export const providerFacts: Readonly<Record<Provider, ProviderFacts>> = {
  anthropic: {
    title: "Anthropic",
    host: "api.anthropic.com",
    url: "https://api.anthropic.com",
    variable: "ANTHROPIC_BASE_URL",
  },
  openai: {
    title: "OpenAI",
    host: "api.openai.com",
    url: "https://api.openai.com",
    variable: "OPENAI_BASE_URL",
  },
  chatgpt: {
    title: "ChatGPT",
    host: "chatgpt.com",
    url: "https://chatgpt.com/backend-api/codex",
    variable: "OPENTIGER_CHATGPT_URL",
  },
};

/** Where the requests for a provider go, or why they go nowhere. */
export type UpstreamUrl = { ok: true; url: URL } | { ok: false; reason: string };

export function upstreamUrl(env: NodeJS.ProcessEnv, provider: Provider): UpstreamUrl {
  const { url: usual, variable } = providerFacts[provider];
  const text = env[variable]?.trim() || usual;
  if (!URL.canParse(text)) return { ok: false, reason: `${variable} is not a URL` };
  const url = new URL(text);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    return { ok: false, reason: `${variable} is neither https nor on this machine's loopback` };
  // Some write the version into it and some do not; our table has it in the paths.
  url.pathname = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  url.search = "";
  url.hash = "";
  return { ok: true, url };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
