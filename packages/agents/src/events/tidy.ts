import type { AgentSaying } from "@opentiger/schema";
import type { Redactor } from "./redactor.ts";
import { cutText, plainText } from "./text.ts";

/** As long as the longest answer of a model. */
const longestText = 1024 * 1024;
/** What a tool was given or gave is looked at by people: the whole of it is in the CLI's own session. */
const longestToolText = 64 * 1024;
const longestLine = 16 * 1024;
const longestName = 1024;

/**
 * What a driver read, as it may become an event: every text in it plain, without the known values, and bounded. First
 * the values and then the cut, so that no part of one is left at its end.
 */
export function tidied(saying: AgentSaying, redactor: Redactor): AgentSaying {
  const tidy = (text: string, limit: number): string => cutText(redactor.text(plainText(text)), limit);
  const name = (text: string): string => tidy(text, longestName);
  const nameOrNull = (text: string | null): string | null => (text === null ? null : name(text));
  switch (saying.type) {
    case "started":
      return { ...saying, session: nameOrNull(saying.session), model: nameOrNull(saying.model) };
    case "text":
    case "thinking":
      return { ...saying, text: tidy(saying.text, longestText) };
    case "tool_call":
      return {
        ...saying,
        id: name(saying.id),
        tool: name(saying.tool),
        summary: name(saying.summary),
        input: tidy(saying.input, longestToolText),
      };
    case "tool_result":
      return { ...saying, id: name(saying.id), output: tidy(saying.output, longestToolText) };
    case "file_change":
      return { ...saying, path: tidy(saying.path, longestLine) };
    case "usage":
      return saying;
    case "finished":
      return { ...saying, message: tidy(saying.message, longestToolText) };
    case "raw":
      return { ...saying, line: tidy(saying.line, longestLine) };
  }
}
