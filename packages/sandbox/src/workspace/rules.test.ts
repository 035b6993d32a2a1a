import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkWorkspace, checkWorkspaces, type Forbidden, isWithin, refuseForbidden } from "./rules.ts";
import { systemFolders, systemTrees } from "./system-folders.ts";

let top: string;
let forbidden: Forbidden;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "ot-rules-")));
  for (const folder of ["home/me/.ssh", "home/me/.config/app", "home/me/project", "state/c", "run"]) {
    mkdirSync(join(top, folder), { recursive: true });
  }
  forbidden = { home: join(top, "home/me"), paths: [join(top, "state"), join(top, "run/docker.sock")] };
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

const check = (path: string) => checkWorkspace({ path, readOnly: false }, forbidden);

describe("a workspace", () => {
  it("is taken at its real path, with its owner", () => {
    symlinkSync(join(top, "home/me/project"), join(top, "shortcut"));
    expect(check(join(top, "shortcut"))).toEqual({
      path: join(top, "home/me/project"),
      readOnly: false,
      uid: process.getuid?.(),
      gid: process.getgid?.(),
    });
  });

  it("may have a colon, spaces and any letters in its name", () => {
    for (const name of ["a:b", "with space", "日本語", "quote'\"", "a,b", "$HOME", "-rf"]) {
      mkdirSync(join(top, name));
      expect(check(join(top, name)).path).toBe(join(top, name));
    }
  });

  it.each([
    ["the whole file system", "/"],
    ["a folder of the system", "/etc"],
    ["anything below one", "/usr/share"],
    ["the folder of all temporary files", tmpdir()],
    ["a path around", "/usr/../etc"],
  ])("is refused when it is %s", (_what, path) => {
    expect(() => check(path)).toThrow(expect.objectContaining({ code: "workspace_refused" }));
  });

  it.each(["home/me", "home", "home/me/.ssh", "home/me/.config", "state", "state/c", "run", "."])(
    "is refused when it is the user's %s",
    (path) => {
      expect(() => check(join(top, path))).toThrow(expect.objectContaining({ code: "workspace_refused" }));
    },
  );

  it("below the user's settings is one program's, and fine", () => {
    expect(check(join(top, "home/me/.config/app")).path).toBe(join(top, "home/me/.config/app"));
  });

  it("is refused when a link leads to such a place, directly or not", () => {
    symlinkSync("/", join(top, "to-root"));
    symlinkSync(join(top, "to-root"), join(top, "to-link"));
    symlinkSync(forbidden.home, join(top, "to-home"));
    for (const path of ["to-root", "to-link", "to-home", "to-root/etc"]) {
      expect(() => check(join(top, path))).toThrow(expect.objectContaining({ code: "workspace_refused" }));
    }
  });

  it("that does not exist, or is a link to itself, is missing", () => {
    symlinkSync("loop", join(top, "loop"));
    for (const path of ["nowhere", "loop"]) {
      expect(() => check(join(top, path))).toThrow(expect.objectContaining({ code: "workspace_missing" }));
    }
  });

  it("that is a file or a socket is refused", async () => {
    writeFileSync(join(top, "file"), "");
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(join(top, "socket"), resolve));
    for (const path of ["file", "socket"]) {
      expect(() => check(join(top, path))).toThrow(expect.objectContaining({ code: "workspace_refused" }));
    }
    server.close();
  });

  it("whose path is no text is refused: it could not be named again", () => {
    const odd = Buffer.concat([Buffer.from(join(top, "odd-")), Buffer.from([0xff, 0xfe])]);
    mkdirSync(odd);
    symlinkSync(odd, join(top, "to-odd"));
    mkdirSync(join(top, "line\nbreak"));
    for (const path of ["to-odd", "line\nbreak"]) {
      expect(() => check(join(top, path))).toThrow(expect.objectContaining({ code: "workspace_refused" }));
    }
  });

  it("is named once", () => {
    const one = { path: join(top, "home/me/project"), readOnly: false };
    const other = { path: join(top, "shortcut"), readOnly: true };
    expect(() => checkWorkspaces([one, other], forbidden)).toThrow(/named twice/);
  });
});

describe("no way of writing a path gets around the rules", () => {
  const detour = fc.array(fc.constantFrom(".", "x/..", "./.", "y/../."), { maxLength: 4 });

  it("to the system's folders", () => {
    fc.assert(
      fc.property(fc.constantFrom(...systemTrees, ...systemFolders), detour, (folder, steps) => {
        const written = ["", ...steps, ...folder.split(sep).slice(1), ...steps].join(sep);
        expect(() => check(written)).toThrow(
          expect.objectContaining({ code: expect.stringMatching(/^workspace_(refused|missing)$/) }),
        );
      }),
    );
  });

  it("to anything above what is forbidden", () => {
    fc.assert(
      fc.property(fc.constantFrom("home/me", "state", "run/docker.sock"), fc.nat(12), (path, up) => {
        let folder = join(top, path);
        for (let step = 0; step < up; step += 1) folder = dirname(folder);
        expect(() => refuseForbidden(folder, forbidden)).toThrow();
      }),
    );
  });

  it("by a name that only begins like a forbidden one", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9-]{1,10}$/), (suffix) => {
        expect(isWithin(`/etc${suffix}`, "/etc")).toBe(false);
        expect(isWithin(`/etc/${suffix}`, "/etc")).toBe(true);
        expect(() => refuseForbidden(`${top}/state${suffix}`, forbidden)).not.toThrow();
      }),
    );
  });
});
