import {
  answer,
  editFile,
  finish,
  type ModelSim,
  readFile,
  runCommand,
  type Scenario,
  say,
  startModelSim,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import type { Plan, PlannedTask } from "@opentiger/schema";

export const requirement =
  "The notes can be listed as JSON, counted and sorted by title, and the README says how.";

/** What takes the place of the model: the agent's CLI and everything around it is real. */
export function startScriptedModel(): Promise<ModelSim> {
  return startModelSim({
    scenarioFor: [
      whenPrompt("You are the judge", {
        steps: [answer({ judgement: "pass", summary: "It does what it should.", points: [] })],
      }),
      ...parts.map(({ task, steps }) => whenPrompt(task.title, { steps })),
      whenPrompt(requirement, { steps: [readFile("src/cli.mjs"), answer(plan)] }),
    ],
  });
}

interface Part {
  task: PlannedTask;
  steps: Scenario["steps"];
}

const jsonTest = `import assert from "node:assert";
import { test } from "node:test";
import { json } from "../src/commands/json.mjs";

test("notes come as JSON", () => assert.equal(JSON.parse(json())[1].title, "buy milk"));
`;

const parts: readonly Part[] = [
  {
    task: planned("json-test", "Test the JSON output", {
      role: "tester",
      instructions: "Write test/json.test.mjs: `json()` of src/commands/json.mjs gives all notes as JSON.",
      allowedPaths: ["test/json.test.mjs"],
    }),
    steps: [
      say("I write the test first."),
      writeFile("test/json.test.mjs", jsonTest),
      finish("The test is there, and red."),
    ],
  },
  {
    task: planned("json", "Print notes as JSON", {
      needs: ["json-test"],
      instructions: "Add src/commands/json.mjs with `json()`, which gives all notes as JSON.",
      allowedPaths: ["src/commands/json.mjs"],
    }),
    steps: [
      readFile("test/json.test.mjs"),
      writeFile(
        "src/commands/json.mjs",
        'import { notes } from "../notes.mjs";\n\nexport const json = () => JSON.stringify(notes);\n',
      ),
      runCommand("node --test"),
      finish("The test is green."),
    ],
  },
  command("count", "Count the notes", "notes.length", "2"),
  command("sorted", "Sort the notes by title", "notes.map(({ title }) => title).sort()[0]", '"buy milk"'),
  {
    task: planned("readme", "Document the new commands", {
      role: "docser",
      needs: ["json", "count", "sorted"],
      instructions: "Name the commands json, count and sorted in README.md.",
      allowedPaths: ["README.md"],
    }),
    steps: [
      editFile(
        "README.md",
        "lists the notes.",
        "lists the notes; so do `json`, `count` and `sorted`, each in its way.",
      ),
      finish("The README names them."),
    ],
  },
];

const plan: Plan = {
  summary: "A command for each of the three, tests first for the JSON, and the README at the end.",
  tasks: parts.map(({ task }) => task),
};

/** A worker that adds a command together with its test. */
function command(name: string, title: string, expression: string, expected: string): Part {
  const test = `import assert from "node:assert";
import { test } from "node:test";
import { ${name} } from "../src/commands/${name}.mjs";

test("${name}", () => assert.equal(${name}(), ${expected}));
`;
  return {
    task: planned(name, title, {
      instructions: `Add src/commands/${name}.mjs with \`${name}()\`, and its test.`,
      allowedPaths: [`src/commands/${name}.mjs`, `test/${name}.test.mjs`],
    }),
    steps: [
      writeFile(
        `src/commands/${name}.mjs`,
        `import { notes } from "../notes.mjs";\n\nexport const ${name} = () => ${expression};\n`,
      ),
      writeFile(`test/${name}.test.mjs`, test),
      runCommand("node --test"),
      finish(`There is a command ${name}.`),
    ],
  };
}

function planned(key: string, title: string, more: Partial<PlannedTask>): PlannedTask {
  return {
    key,
    title,
    role: "worker",
    instructions: "",
    needs: [],
    allowedPaths: [],
    mayChange: [],
    verify: [],
    risk: "low",
    estimate: "a minute",
    ...more,
  };
}
