import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { opentigerProgram } from "../program/opentiger.ts";
import { recordedSurroundings } from "../program/recorded-surroundings.ts";
import { complete } from "./candidates.ts";
import { renderCompletion } from "./protocol.ts";
import { completionScript, shells } from "./scripts.ts";

const { surroundings } = recordedSurroundings({ invocation: "opentiger sandbox" });

describe("completion", () => {
  test.each([
    [["sandb"], ["sandbox", "sandboxd"]],
    [
      ["auth", "c"],
      ["claude", "codex"],
    ],
    [
      ["auth", "--environment", ""],
      ["host", "sandbox"],
    ],
    [
      ["sandbox", "in"],
      ["inspect", "install-plugin"],
    ],
    [
      ["sandbox", "rm", ""],
      ["box", "clone-1"],
    ],
    [["sandbox", "rm", "box", "c"], ["clone-1"]],
    [["sandbox", "exec", "-i", "-e", "A=1", "b"], ["box"]],
    [["sandbox", "exec", "--work"], ["--workdir"]],
    [["sandbox", "exec", "box", "--work"], []],
    [["sandbox", "create", "cl"], ["claude"]],
    [
      ["sandbox", "create", "--name", "claude", "co"],
      ["codex", "copilot"],
    ],
    [
      ["sandbox", "create", "--network", ""],
      ["open", "allow", "balanced", "deny"],
    ],
    [["sandbox", "create", "--pull-template", "n"], ["never"]],
    [
      ["sandbox", "run", "c"],
      ["claude", "codex", "copilot", "cagent", "clone-1"],
    ],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["image", "build", "--ba"], ["--base"]],
    [
      ["config", ""],
      ["ls", "get", "set", "unset", "help"],
    ],
    [
      ["config", "set", "OPENTIGER_GIT"],
      ["OPENTIGER_GIT_NAME", "OPENTIGER_GIT_EMAIL"],
    ],
    [
      ["task", "sh"],
      ["show", "shell"],
    ],
    [["doctor", "--f"], ["--fix"]],
    [["uninst"], ["uninstall"]],
  ])("%j offers %j", (words, expected) => {
    expect(offered(words).candidates.map(({ value }) => value)).toEqual(expected);
  });

  test.each([
    [["sandbox", "create", "claude", ""], true],
    [["sandbox", "cp", "", ""], true],
    [["sandbox", "exec", "box", "ca"], true],
    [["sandbox", "exec", "--env-file", ""], true],
    [["sandbox", "rm", ""], false],
    [["sandbox", ""], false],
  ])("%j offers files: %s", (words, files) => {
    expect(offered(words).files).toBe(files);
  });

  test("is answered in docker's own format", () => {
    const text = renderCompletion({ candidates: [{ value: "box", description: "sandbox" }], files: false });
    expect(text).toBe("box\tsandbox\n:4\n");
  });

  test.each(shells)("the script for %s is one that the shell can read", (shell) => {
    const checked = spawnSync(shell, ["-n"], { input: completionScript(shell), encoding: "utf8" });
    // Shells that are not installed here are not judged.
    if (checked.error) return;
    expect(checked).toMatchObject({ status: 0, stderr: "" });
  });

  test("bash offers what the program says", () => {
    const run = `opentiger() { printf 'box\\tsandbox\\nbox-2\\n:4\\n'; }
${completionScript("bash")}
COMP_WORDS=(opentiger sandbox rm b) COMP_CWORD=3
_opentiger; printf '%s,' "\${COMPREPLY[@]}"`;
    expect(spawnSync("bash", ["-c", run], { encoding: "utf8" }).stdout).toBe("box,box-2,");
  });
});

const root = await opentigerProgram(surroundings);

function offered(words: string[]) {
  return complete(root, words, () => ["box", "clone-1"]);
}
