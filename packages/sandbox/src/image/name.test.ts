import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SandboxError } from "../errors.ts";
import { defaultWorkerImage, imageReference, workerImageName } from "./name.ts";

const silent = (sentence: string) => expect.unreachable(`nothing was to be said, but: ${sentence}`);

describe("A9 the worker image's name", () => {
  it("is opentiger/worker:latest unless SANDBOX_DOCKER_IMAGE says otherwise", () => {
    expect(workerImageName({}, silent)).toBe("opentiger/worker:latest");
    expect(workerImageName({ SANDBOX_DOCKER_IMAGE: "" }, silent)).toBe(defaultWorkerImage);
    expect(workerImageName({ SANDBOX_DOCKER_IMAGE: " mine/image:v2 " }, silent)).toBe("mine/image:v2");
  });

  it("given as the documented openTiger/worker:latest is lowered, and said once", () => {
    const said: string[] = [];
    for (let use = 0; use < 3; use++) {
      const name = workerImageName({ SANDBOX_DOCKER_IMAGE: "openTiger/worker:latest" }, (text) =>
        said.push(text),
      );
      expect(name).toBe("opentiger/worker:latest");
    }
    expect(said).toEqual([
      'Docker allows no upper case in an image\'s name: using "opentiger/worker:latest" for "openTiger/worker:latest".',
    ]);
  });

  it.each([
    ["localhost:5000/Team/App:RC1", "localhost:5000/team/app:RC1"],
    ["Ghcr.io/Acme/App", "ghcr.io/acme/app"],
    [`App@sha256:${"aB".repeat(32)}`, `app@sha256:${"aB".repeat(32)}`],
  ])("keeps tag and digest of %s as they are", (given, used) => {
    expect(imageReference(given, () => {})).toBe(used);
  });

  it.each([
    "",
    " ",
    "a b",
    "-a",
    "a/",
    "/a",
    "a//b",
    "a:",
    "a:b:c",
    "a@sha256:12",
    "a..b",
    "ä/b",
    "a:tag!",
    "http://a/b",
  ])("refuses %j with the rule", (name) => {
    expect(() => imageReference(name, silent)).toThrow(
      expect.objectContaining({ code: "image_name_invalid", remedy: expect.stringContaining("lower case") }),
    );
  });

  it("is never taken from a repository longer than the engine allows", () => {
    expect(imageReference("a".repeat(255), silent)).toHaveLength(255);
    expect(() => imageReference("a".repeat(256), silent)).toThrow(SandboxError);
  });
});

const component = fc.stringMatching(/^[a-z0-9]{1,6}((\.|_|__|-{1,3})[a-z0-9]{1,6}){0,2}$/);
/** Cannot be taken for a registry's host, where upper case is legal. */
const firstComponent = component.filter((text) => !text.includes("."));
const registry = fc.constantFrom(
  "",
  "localhost/",
  "registry.example.com/",
  "registry.example.com:5000/",
  "[::1]:5000/",
);
const tag = fc.oneof(fc.constant(""), fc.stringMatching(/^:[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/));
const digest = fc.oneof(fc.constant(""), fc.stringMatching(/^@sha256:[0-9a-f]{64}$/));

describe("any image reference", () => {
  it("that is legal is used as it is", () => {
    fc.assert(
      fc.property(
        registry,
        fc.array(component, { minLength: 1, maxLength: 3 }),
        tag,
        digest,
        (host, path, t, d) => {
          const name = `${host}${path.join("/")}${t}${d}`;
          expect(imageReference(name, silent)).toBe(name);
        },
      ),
    );
  });

  it("that differs by upper case in the repository becomes the legal one", () => {
    fc.assert(
      fc.property(
        registry,
        firstComponent,
        component,
        tag,
        digest,
        fc.infiniteStream(fc.boolean()),
        (host, a, b, t, d, up) => {
          const shout = (text: string) =>
            text.replace(/[a-z]/g, (letter) => (up.next().value ? letter.toUpperCase() : letter));
          expect(imageReference(`${host}${shout(`${a}/${b}`)}${t}${d}`, () => {})).toBe(
            `${host}${a}/${b}${t}${d}`,
          );
        },
      ),
    );
  });

  it("is either refused with our error or used in a form that is stable", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9./:@_-]{0,30}$/)), (name) => {
        let used: string;
        try {
          used = imageReference(name, () => {});
        } catch (error) {
          expect(error).toBeInstanceOf(SandboxError);
          return;
        }
        expect(imageReference(used, silent)).toBe(used);
        expect(used.toLowerCase()).toBe(name.toLowerCase());
      }),
      { numRuns: 2000 },
    );
  });
});
