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
    "environment, what is stored in `system_config`, the default. A key that the environment names is pinned, and cannot be",
    "changed where it is stored. A change applies to what begins afterwards, without a restart. No secret belongs here: those",
    "are kept in the vault ([secrets.md](secrets.md)). What belongs to a project is in its own file ([project.md](project.md)).",
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
