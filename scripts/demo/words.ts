export function title(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

export function say(text: string): void {
  process.stdout.write(`  ${text.replaceAll("\n", "\n  ")}\n`);
}
