import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where whatever is executed on this machine leaves a mark, by its name. In a sandbox there is no such folder. */
export interface Marks {
  folder: string;
}

export const hooks = [
  "applypatch-msg",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "prepare-commit-msg",
  "reference-transaction",
] as const;

/** Settings of git that name a program. */
const settings = {
  "core.fsmonitor": "fsmonitor",
  "core.sshCommand": "ssh",
  "core.pager": "pager",
  "core.editor": "editor",
  "core.askPass": "askpass",
  "core.alternateRefsCommand": "alternate-refs",
  "credential.helper": "credential",
  "diff.external": "external-diff",
  "diff.trap.textconv": "textconv",
  "filter.trap.clean": "clean",
  "filter.trap.smudge": "smudge",
  "gpg.program": "gpg",
  "merge.trap.driver": "merge-driver",
  "uploadpack.packObjectsHook": "pack-objects",
} as const;

/** By which the programs of the settings are named for every file. */
export const trapAttributes = "* filter=trap diff=trap merge=trap\n";

/** Plants in the user's own repository what an agent could have left there some day. Git must not be used in it then. */
export function plantInRepository(root: string, marks: Marks): void {
  const programs = join(root, ".git/traps");
  mkdirSync(programs);
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  for (const name of Object.values(settings)) program(join(programs, name), marks, `user-${name}`);
  for (const name of hooks) program(join(root, ".git/hooks", name), marks, `user-hook-${name}`);
  const lines = Object.entries(settings).map(([key, name]) => setting(key, join(programs, name)));
  const always = [setting("commit.gpgSign", "true"), setting("include.path", "traps/included")];
  writeFileSync(join(root, ".git/config"), [...lines, ...always, ""].join("\n"), { flag: "a" });
  writeFileSync(join(root, ".git/traps/included"), `${setting("core.gitProxy", join(programs, "ssh"))}\n`);
}

/**
 * What an agent runs in its clone to plant the same there, for its user besides, and whatever else could be taken for
 * something by who looks at the clone later. Says how many hooks there are then.
 */
export function plantingScript(marks: Marks, leads: string): string {
  const keys = Object.entries(settings);
  return `
plant() { printf '#!/bin/sh\\ntouch ${marks.folder}/agent-%s\\n[ $# -gt 0 ] || cat\\n' "$2" > "$1"; chmod +x "$1"; }
mkdir -p .git/traps .git/hooks "$HOME/bin" "$HOME/.local/bin" node_modules/.bin .git/info .git/objects/info
for hook in ${hooks.join(" ")}; do plant .git/hooks/$hook hook-$hook; done
for name in ${keys.map(([, name]) => name).join(" ")}; do plant .git/traps/$name $name; done
${keys.map(([key, name]) => `git config ${key} "$PWD/.git/traps/${name}"`).join("\n")}
git config --global core.hooksPath "$PWD/.git/hooks"
git config --global filter.trap.clean "$PWD/.git/traps/clean"
git config include.path traps/included
git config -f .git/traps/included core.gitProxy "$PWD/.git/traps/ssh"
echo '* filter=trap diff=trap merge=trap' > .git/info/attributes
echo '${leads}' > .git/objects/info/alternates
for shim in git sh node npm tar; do plant "$HOME/bin/$shim" shim-$shim; plant node_modules/.bin/$shim bin-$shim; done
for shim in node npm tar; do plant "$HOME/.local/bin/$shim" shim-$shim; done
echo 'export PATH=$HOME/bin:$PATH' >> "$HOME/.profile"; echo 'touch ${marks.folder}/agent-bashrc' >> "$HOME/.bashrc"
mkfifo node_modules/pipe /tmp/opentiger-dispute.md .git/opentiger-set-up.fifo
ln -s /etc/passwd node_modules/passwd; ln -s / node_modules/root
ls .git/hooks | wc -l > work.txt
`.trim();
}

function program(path: string, { folder }: Marks, name: string): void {
  writeFileSync(path, `#!/bin/sh\ntouch '${join(folder, name)}'\n[ $# -gt 0 ] || cat\nexit 0\n`);
  chmodSync(path, 0o755);
}

function setting(key: string, value: string): string {
  const [section = "", ...rest] = key.split(".");
  const name = rest.pop() ?? "";
  const inner = rest.length === 0 ? section : `${section} "${rest.join(".")}"`;
  return `[${inner}]\n\t${name} = ${value}`;
}
