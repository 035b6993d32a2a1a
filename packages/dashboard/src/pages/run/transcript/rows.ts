import type { AgentEvent } from "@opentiger/schema";
import { ansiLines, withoutAnsi } from "../../../parts/ansi-spans.ts";
import { words } from "../../../words/words.ts";

type ToolCall = Extract<AgentEvent, { type: "tool_call" }>;
type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;

/** One line of the list. Those of one event follow each other. */
export type Row =
  | { kind: "say"; id: string; text: string; first: boolean; at: string }
  | { kind: "person"; id: string; text: string; first: boolean; last: boolean; at: string }
  | { kind: "think"; id: string; text: string; first: boolean }
  | { kind: "tool"; id: string; call: ToolCall; result: ToolResult | undefined; open: boolean }
  | { kind: "output"; id: string; text: string; part: "input" | "output"; first: boolean }
  | { kind: "mark"; id: string; text: string; tone: "plain" | "good" | "bad"; at: string }
  | { kind: "raw"; id: string; text: string };

export interface RowChoice {
  /** Numbers of the calls that are not folded. */
  open: ReadonlySet<number>;
  /** Only what contains this, in any case; folded calls that do are unfolded. */
  search: string;
}

/** What is drawn of the events: a row a line, so that only those in sight have to be. */
export function rowsOf(events: readonly AgentEvent[], { open, search }: RowChoice): Row[] {
  const results = new Map<string, ToolResult>();
  for (const event of events) if (event.type === "tool_result") results.set(event.id, event);
  const asked = search.trim().toLowerCase();
  const rows: Row[] = [];
  for (const event of events) {
    const result = event.type === "tool_call" ? results.get(event.id) : undefined;
    if (asked !== "" && !textOf(event, result).toLowerCase().includes(asked)) continue;
    rows.push(...rowsOfEvent(event, result, asked !== "" || open.has(event.seq)));
  }
  return rows;
}

function rowsOfEvent(event: AgentEvent, result: ToolResult | undefined, open: boolean): Row[] {
  const id = (index: number) => `${event.seq}.${index}`;
  switch (event.type) {
    case "text":
      return lines(event.text).map((text, index) => ({
        kind: "say",
        id: id(index),
        text,
        first: index === 0,
        at: event.at,
      }));
    case "message":
      return [
        ...lines(event.text).map(
          (text, index, all): Row => ({
            kind: "person",
            id: id(index),
            text,
            first: index === 0,
            last: index === all.length - 1,
            at: event.at,
          }),
        ),
        ...(event.anew === null
          ? []
          : [mark({ ...event, seq: event.seq + 0.5 }, words.run.anew(event.anew))]),
      ];
    case "thinking":
      return lines(event.text).map((text, index) => ({
        kind: "think",
        id: id(index),
        text,
        first: index === 0,
      }));
    case "tool_call": {
      const head: Row = { kind: "tool", id: id(0), call: event, result, open };
      return open
        ? [head, ...outputOf(event.input, "input", id), ...outputOf(result?.output ?? "", "output", id)]
        : [head];
    }
    case "file_change":
      return [mark(event, `${words.run.changes[event.change]} ${event.path}`)];
    case "started":
      return [mark(event, [words.run.started, event.model ?? ""].join(" "))];
    case "finished":
      return [mark(event, event.message || words.run.finished, event.ok ? "good" : "bad")];
    case "raw":
      return ansiLines(event.line).map((text, index) => ({ kind: "raw", id: id(index), text }));
    // Results stand with their calls, and usage in the head of the page.
    case "tool_result":
    case "usage":
      return [];
  }
}

function outputOf(text: string, part: "input" | "output", id: (index: number) => string): Row[] {
  if (text.trim() === "" || text === "{}") return [];
  return ansiLines(text).map((line, index) => ({
    kind: "output",
    id: `${id(index + 1)}.${part}`,
    text: line,
    part,
    first: index === 0,
  }));
}

function mark(event: AgentEvent, text: string, tone: "plain" | "good" | "bad" = "plain"): Row {
  return { kind: "mark", id: `${event.seq}`, text, tone, at: event.at };
}

function textOf(event: AgentEvent, result: ToolResult | undefined): string {
  switch (event.type) {
    case "text":
    case "thinking":
    case "message":
      return event.text;
    case "tool_call":
      return `${event.tool} ${event.summary} ${event.input} ${withoutAnsi(result?.output ?? "")}`;
    case "file_change":
      return event.path;
    case "finished":
      return event.message;
    case "raw":
      return withoutAnsi(event.line);
    case "started":
    case "tool_result":
    case "usage":
      return "";
  }
}

function lines(text: string): string[] {
  return text.replace(/\n+$/, "").split("\n");
}
