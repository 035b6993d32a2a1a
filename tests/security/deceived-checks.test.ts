import { beforeAll, describe, expect, it } from "vitest";
import { type Cheat, foundByChecks, foundInPython, foundInScripts } from "./cheats.ts";
import { cart, gamedProject, pythonCart, pythonProject, scriptedProject } from "./gamed-project.ts";
import { type CheckedProject, PlainChecks } from "./plain-checks.ts";

/**
 * Attack 31 works where nobody judges: otherwise a judge who finds such a cheat has found nothing. The others of those
 * that judge-gaming.test.ts tries deceive somebody else: CI, whoever merges, whoever reads.
 */
let plain: PlainChecks;

const inJavaScript = `node --input-type=module --eval 'import { label, sum } from "./src/cart.js";
console.log("shows", sum([1, 2]), label("tea", 3.5));'`;
const inPython = `python3 -c 'from cart import total; print("shows", total([1, 2]))'`;

interface Deceived extends CheckedProject {
  name: string;
  cheats: Readonly<Record<string, Cheat>>;
  /** What its code shows as long as it is right. */
  right: string;
  /** Wrong code, and nothing that hides it. */
  wrong: Readonly<Record<string, string>>[];
}

const projects: Deceived[] = [
  {
    name: "with settings of ours",
    files: gamedProject,
    cheats: foundByChecks,
    shows: inJavaScript,
    right: "shows 3 tea: 3.50",
    wrong: [{ "src/cart.js": cart.wrongSum }, { "src/cart.js": cart.wrongLabel }],
  },
  {
    name: "in Python",
    files: pythonProject,
    cheats: foundInPython,
    checks: ["python3 -m unittest discover"],
    shows: inPython,
    right: "shows 3",
    wrong: [{ "cart.py": pythonCart.broken }],
  },
  {
    name: "in JavaScript",
    files: scriptedProject,
    cheats: foundInScripts,
    checks: ["npm test --silent"],
    shows: inJavaScript,
    right: "shows 3 tea: 3.50",
    wrong: [{ "src/cart.js": cart.wrongSum }],
  },
];

beforeAll(async () => {
  plain = await PlainChecks.begin();
});

describe.each(projects)("in a project $name", ({ cheats, right, wrong, ...project }) => {
  let ready: string;

  beforeAll(async () => {
    ready = await plain.setUp(project);
  });

  it("the checks find what is wrong, where nothing hides it", async () => {
    expect(await plain.check(ready, project, {})).toMatchObject({ code: 0, does: right });
    for (const edits of wrong) expect((await plain.check(ready, project, edits)).code).not.toBe(0);
  });

  it.concurrent.each(Object.entries(cheats).filter(([, { fools }]) => fools))(
    "attack 31 whoever only runs the project's own checks is deceived: %s",
    async (_title, { edits }) => {
      const { code, said, does } = await plain.check(ready, project, edits);
      expect(code, said).toBe(0);
      expect(does).toMatch(/^shows /);
      expect(does).not.toBe(right);
    },
  );
});
