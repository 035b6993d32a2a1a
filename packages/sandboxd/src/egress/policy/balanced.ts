import { parseTarget } from "../host/target.ts";
import { type HostRule, matches, parseRule } from "./rule.ts";

/**
 * What the policy `balanced` opens, in groups, as of `date`. A wildcard does not match its root, so both stand here
 * where both are used. An entry with a port also carries what is not TLS: git over ssh.
 */
export const balanced = {
  date: "2026-11-16",
  groups: {
    models: [
      "*.anthropic.com",
      "claude.ai",
      "*.claude.ai",
      "claude.com",
      "*.claude.com",
      "*.openai.com",
      "chatgpt.com",
      "*.chatgpt.com",
      "generativelanguage.googleapis.com",
      "api.mistral.ai",
      "api.deepseek.com",
      "api.groq.com",
      "api.x.ai",
      "openrouter.ai",
      "*.githubcopilot.com",
      "opencode.ai",
      "*.opencode.ai",
      "models.dev",
    ],
    "package registries": [
      "*.npmjs.org",
      "*.npmjs.com",
      "*.yarnpkg.com",
      "nodejs.org",
      "*.nodejs.org",
      "jsr.io",
      "*.jsr.io",
      "bun.sh",
      "deno.land",
      "*.deno.land",
      "pypi.org",
      "*.pypi.org",
      "*.pythonhosted.org",
      "astral.sh",
      "*.astral.sh",
      "*.anaconda.org",
      "*.anaconda.com",
      "crates.io",
      "*.crates.io",
      "*.rust-lang.org",
      "go.dev",
      "golang.org",
      "*.golang.org",
      "rubygems.org",
      "*.rubygems.org",
      "packagist.org",
      "*.packagist.org",
      "getcomposer.org",
      "*.maven.org",
      "repo.maven.apache.org",
      "*.gradle.org",
      "*.nuget.org",
      "hex.pm",
      "*.hex.pm",
      "pub.dev",
    ],
    "git hosts": [
      "github.com",
      "*.github.com",
      "*.githubusercontent.com",
      "*.githubassets.com",
      "github.com:22",
      "ssh.github.com:443",
      "gitlab.com",
      "*.gitlab.com",
      "gitlab.com:22",
      "altssh.gitlab.com:443",
      "bitbucket.org",
      "*.bitbucket.org",
      "bitbucket.org:22",
      "codeberg.org",
      "*.codeberg.org",
      "codeberg.org:22",
      "git.sr.ht",
      "git.sr.ht:22",
    ],
    "OS archives": [
      "*.debian.org",
      "*.ubuntu.com",
      "*.alpinelinux.org",
      "*.fedoraproject.org",
      "*.archlinux.org",
      "*.rockylinux.org",
      "*.almalinux.org",
      "*.opensuse.org",
      "apt.postgresql.org",
      "deb.nodesource.com",
      "download.docker.com",
    ],
  },
} as const satisfies { date: string; groups: Record<string, readonly string[]> };

export const balancedRules: readonly HostRule[] = Object.values(balanced.groups).flatMap(rulesOf);

const modelRules = rulesOf(balanced.groups.models);

/** Whether models are asked there. */
export function isModelHost(name: string): boolean {
  const target = parseTarget(`${name}:443`);
  return target.ok && modelRules.some((rule) => matches(rule, target.value));
}

function rulesOf(entries: readonly string[]): HostRule[] {
  return entries.map((entry) => {
    const rule = parseRule(entry);
    if (!rule.ok) throw new Error(`the preset has ${entry}, which ${rule.reason}`);
    return rule.value;
  });
}
