import { SandboxError } from "@opentiger/sandbox";

/** What may stand in braces in a command's words. */
const placeholders = ["promptFile", "model", "cwd"] as const;
type Placeholder = (typeof placeholders)[number];

const placeholder = /\{(\w+)\}/g;

/** A template is read before anything runs: a word that nobody knows is a mistake, not an argument. */
export function refuseUnknown(template: readonly string[]): void {
  if (!template[0]) throw wrong("a command needs at least the name of a program");
  for (const word of template)
    for (const [, name = ""] of word.matchAll(placeholder))
      if (!isPlaceholder(name)) throw wrong(`{${name}} is not known in a command`);
}

/**
 * The words of a command with what stands for the braces. No shell reads them, so nothing in a value is special. A word
 * that needs something which is not there is left out, and the option before it with it.
 */
export function filled(
  template: readonly string[],
  values: Readonly<Record<Placeholder, string | undefined>>,
): string[] {
  const words: string[] = [];
  for (const word of template) {
    const names = [...word.matchAll(placeholder)].flatMap(([, name = ""]) =>
      isPlaceholder(name) ? [name] : [],
    );
    if (names.every((name) => values[name] !== undefined)) {
      words.push(
        word.replaceAll(placeholder, (_whole, name: string) =>
          isPlaceholder(name) ? (values[name] ?? "") : "",
        ),
      );
    } else if (/^\{\w+\}$/.test(word) && words.at(-1)?.startsWith("-")) {
      words.pop();
    }
  }
  return words;
}

function isPlaceholder(name: string): name is Placeholder {
  return placeholders.some((known) => known === name);
}

function wrong(message: string): SandboxError {
  return new SandboxError("usage", message, {
    remedy: `these are: ${placeholders.map((name) => `{${name}}`).join(", ")}`,
  });
}
