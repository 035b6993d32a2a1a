import { type ConfigJson, configKeyNames, configKeys } from "@opentiger/schema";

/** docs/config.md, made of the table of keys; a test holds the file against it. */
export function configDocument(): string {
  return `${[
    "<!-- Made of packages/schema/src/config.ts. After a change there:",
    "     UPDATE_DOCS=1 npx vitest run --project unit packages/orchestrator/src/state/config/config-document.test.ts -->",
    "",
    "# Settings",
    "",
    "Every key is also the name of an environment variable. What holds is, in this order: a flag of the command, the",
    "environment, what is stored in `system_config`, the default. A key that a flag or the environment names is pinned, and",
    "cannot be changed where it is stored. A change applies to what begins afterwards, without a restart. No secret belongs",
    "here: those are kept in the vault ([secrets.md](secrets.md)). What belongs to a project is in its own file",
    "([project.md](project.md)). Variables that are no settings: [cli.md](cli.md#variables).",
    "",
    "The flag is `opentiger up --set KEY=VALUE`, as often as needed. It holds for that server and all that it starts, for as long",
    "as they run: the dispatcher, those who claim beside it, and the sandboxes that they make. Agents and sandboxes do not see it.",
    "`GET /config` and the System page show what holds in the server. A command of its own has no such flag, but goes by what the",
    "server that runs was given: `opentiger config ls` shows it as `flag`, and `config set` refuses the key, until `opentiger down`.",
    "What is said to `opentiger run` itself (`--host`, `--agent`) is for its loop, and stronger. The environment is each process's",
    "own: that of the server and the dispatcher is what they were started with.",
    "",
    "| key | may be | default | what it is for |",
    "|---|---|---|---|",
    ...configKeyNames.map((name) => {
      const { expects, fallback, about } = configKeys[name];
      return `| ${[`\`${name}\``, expects, shown(fallback.json), about].map(cell).join(" | ")} |`;
    }),
  ].join("\n")}\n`;
}

function shown(value: ConfigJson): string {
  const text = typeof value === "object" ? (value ?? []).join(" ") : String(value);
  return text === "" ? "" : `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
