import type { AgentEvent } from "@opentiger/schema";
import type { Colours } from "../output/colours.ts";
import { printable, printableLines } from "../output/table.ts";

/** Of what a command printed, a person reads the end. */
const shownOutput = 5;

/** What an agent does and says, in lines for people. What says nothing to them has none. */
export function agentLines(event: AgentEvent, colours: Colours): string[] {
  switch (event.type) {
    case "started":
      return [
        colours.dim(
          `${event.resumed ? "goes on" : "begins"}${event.model ? `, ${printable(event.model)}` : ""}`,
        ),
      ];
    case "text":
      return lines(event.text);
    case "message":
      return [
        ...lines(event.text).map((line) => colours.yellow(`» ${line}`)),
        ...(event.anew === null ? [] : [colours.dim(`in a new conversation: ${oneLine(event.anew)}`)]),
      ];
    case "thinking":
      return lines(event.text).map((line) => colours.dim(line));
    case "tool_call":
      return [`${colours.cyan(`→ ${printable(event.tool)}`)} ${oneLine(event.summary)}`];
    case "tool_result":
      return event.ok ? [] : [colours.red(`✗ ${failure(event.exitCode)}`), ...tail(event.output, colours)];
    case "file_change":
      return [colours.green(`${changes[event.change]} ${printable(event.path)}`)];
    case "finished":
      return event.ok ? [] : [colours.red(`✗ ${oneLine(event.message)}`)];
    case "raw":
      // What a CLI says of itself to programs says nothing to people.
      return event.line.startsWith("{") ? [] : [colours.dim(printable(event.line))];
    case "usage":
      return [];
  }
}

const changes = { added: "+", modified: "~", deleted: "-", unknown: "~" } as const;

function failure(exitCode: number | null): string {
  return exitCode === null ? "failed" : `ended with ${exitCode}`;
}

function tail(output: string, colours: Colours): string[] {
  return lines(output)
    .slice(-shownOutput)
    .map((line) => colours.dim(`  ${line}`));
}

function lines(text: string): string[] {
  return printableLines(text.trim());
}

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " ").trim());
}
