import type { AgentEvent, AgentSaying } from "@opentiger/schema";

const sayings: readonly AgentSaying[] = [
  { type: "started", session: "s-1", model: "a model", resumed: false },
  {
    type: "text",
    text: "I'll look at how the report is printed today, and where flags are read.\n\nThen I add the flag.",
  },
  call("1", "Read", "read", "src/report/print.ts"),
  result("1", true, "export function printReport(rows: Row[]) {\n  console.table(rows);\n}\n"),
  call("2", "Edit", "edit", "src/report/print.ts"),
  result("2", true, ""),
  { type: "file_change", path: "src/report/print.ts", change: "modified" },
  { type: "thinking", text: "The tests want one object a line, and a newline at the end." },
  call("3", "Bash", "command", "npm test"),
  result(
    "3",
    false,
    "\u001b[31m✗ prints one object a line\u001b[0m\n  expected 3 lines, got 1\n\u001b[32m✓ 41 passed\u001b[0m\n",
    1,
  ),
  { type: "text", text: "One is red: rows are joined without a newline. I mend that." },
  call("4", "Bash", "command", "npm test -- --run report"),
];

/** What an agent did and said, as its file has it. */
export function sampleTranscript(): string {
  const at = new Date().toISOString();
  const events = sayings.map((saying, index): AgentEvent => ({ ...saying, seq: index + 1, at }));
  return `${events.map((event) => JSON.stringify(event)).join("\n")}\n`;
}

export const sampleDiff = `diff --git a/src/report/print.ts b/src/report/print.ts
index 1111111..2222222 100644
--- a/src/report/print.ts
+++ b/src/report/print.ts
@@ -1,7 +1,12 @@
 import type { Row } from "./row.ts";
 
-export function printReport(rows: Row[]) {
-  console.table(rows);
+/** A table for people, or one object a line for programs. */
+export function printReport(rows: readonly Row[], { json = false } = {}): void {
+  if (!json) {
+    console.table(rows);
+    return;
+  }
+  for (const row of rows) process.stdout.write(\`\${JSON.stringify(row)}\\n\`);
 }
 
 export const columns = ["name", "size"];
diff --git a/README.md b/README.md
index 3333333..4444444 100644
--- a/README.md
+++ b/README.md
@@ -10,3 +10,7 @@
 ## Reports
 
 \`report\` prints a table.
+
+With \`--json\` it prints one object a line:
+
+    report --json | jq .name
`;

function call(id: string, tool: string, kind: "read" | "edit" | "command", summary: string): AgentSaying {
  return { type: "tool_call", id, tool, kind, summary, input: JSON.stringify({ target: summary }) };
}

function result(id: string, ok: boolean, output: string, exitCode: number | null = null): AgentSaying {
  return { type: "tool_result", id, ok, output, exitCode };
}
