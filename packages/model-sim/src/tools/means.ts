import type { OfferedTool } from "../conversation/model-request.ts";
import type { CallDraft } from "./tool-kind.ts";

/** How commands are run and patches applied with the tools that are there. */
export interface Means {
  exec(command: string): CallDraft;
  patch(text: string): CallDraft;
  /** A command that was not done when its result came is asked for again. undefined: it is done. */
  stillRunning(result: string): CallDraft | undefined;
  /** What a command printed, without what the CLI says around it. */
  output(result: string): string;
}

/** As long as Codex waits for a command before it speaks of it. */
const yieldMs = 30_000;

/** Codex with most models: a tool for commands; patches have one of their own, or are a command too. */
export function commandMeans(patchTool: OfferedTool | undefined): Means {
  const exec = (cmd: string) => call("exec_command", { cmd, yield_time_ms: yieldMs });
  return {
    exec,
    patch: (text) => (patchTool ? call(patchTool.name, text) : exec(`apply_patch <<'END'\n${text}END\n`)),
    stillRunning(result) {
      const id = /^Process running with session ID (\d+)$/m.exec(result)?.[1];
      if (id === undefined) return undefined;
      return call("write_stdin", { session_id: Number(id), chars: "", yield_time_ms: yieldMs });
    },
    output: (result) => after(result, "Output:\n"),
  };
}

/** Codex with its newest models: one tool, which takes JavaScript that calls the others. */
export function scriptMeans(exec: OfferedTool, wait: OfferedTool | undefined): Means {
  const script = (text: string) => call(exec.name, text, exec.namespace);
  return {
    exec: (command) => script(runningScript(command)),
    patch: (text) => script(`text(await tools.apply_patch(${JSON.stringify(text)}));\n`),
    stillRunning(result) {
      const id = /^Script running with cell ID (\S+)$/m.exec(result)?.[1];
      if (id === undefined || !wait) return undefined;
      return call(wait.name, { cell_id: id, yield_time_ms: yieldMs }, wait.namespace);
    },
    output: (result) => after(result, "Output:\n\n").replace(/exit code \d+\s*$/, ""),
  };
}

/** OpenCode with models of OpenAI's: it patches, too, but its commands are never left running. */
export function patchMeans(bash: OfferedTool, patch: OfferedTool): Means {
  return {
    exec: (command) => call(bash.name, { command }),
    patch: (text) => call(patch.name, { patchText: text }),
    stillRunning: () => undefined,
    output: (result) => result,
  };
}

function runningScript(command: string): string {
  return `let r = await tools.exec_command({ cmd: ${JSON.stringify(command)}, yield_time_ms: ${yieldMs} });
let output = r.output;
while (r.session_id !== undefined && r.exit_code === undefined) {
  r = await tools.write_stdin({ session_id: r.session_id, yield_time_ms: ${yieldMs} });
  output += r.output;
}
text(output + "exit code " + r.exit_code);
`;
}

function call(name: string, input: string | Record<string, unknown>, namespace?: string) {
  return { name, namespace, input };
}

function after(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at === -1 ? text : text.slice(at + mark.length);
}
