import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UsageError } from "../errors.ts";
import { type ExecOption, execOptions } from "./option-table.ts";
import { parseExec } from "./options.ts";

describe("the words of exec", () => {
  test("options end at the sandbox's name", () => {
    const parsed = parseExec(["-i", "-e", "A=1", "box", "grep", "-e", "x", "--json", "--", "-i"]);
    expect([...parsed.flags]).toEqual(["interactive"]);
    expect(parsed.values.get("env")).toEqual(["A=1"]);
    expect(parsed.sandbox).toBe("box");
    expect(parsed.command).toEqual(["grep", "-e", "x", "--json", "--", "-i"]);
  });

  test.each([
    [
      ["-it", "box", "sh"],
      ["interactive", "tty"],
    ],
    [
      ["-i", "-t", "box", "sh"],
      ["interactive", "tty"],
    ],
    [
      ["--interactive", "--tty=true", "box", "sh"],
      ["interactive", "tty"],
    ],
    [["--tty=false", "-i", "box", "sh"], ["interactive"]],
    [["-t", "--tty=false", "box", "sh"], []],
  ])("%j are the flags %j", (words, flags) => {
    expect([...parseExec(words).flags]).toEqual(flags);
  });

  test.each([
    [["-e", "A=B"]],
    [["-eA=B"]],
    [["-e=A=B"]],
    [["--env", "A=B"]],
    [["--env=A=B"]],
    [["-ie", "A=B"]],
    [["-ieA=B"]],
  ])("%j sets A to B", (options) => {
    expect(parseExec([...options, "box", "true"]).values.get("env")).toEqual(["A=B"]);
  });

  test("a value may look like an option, and be empty", () => {
    const parsed = parseExec(["-w", "-x", "--user=", "box", "true"]);
    expect(parsed.values.get("workdir")).toEqual(["-x"]);
    expect(parsed.values.get("user")).toEqual([""]);
  });

  test("-- ends the options before the name", () => {
    expect(parseExec(["-i", "--", "box", "-x"])).toMatchObject({ sandbox: "box", command: ["-x"] });
  });

  test.each([[["--nope", "box"]], [["-x", "box"]], [["-e"]], [["--tty=maybe", "box"]], [["--=a", "box"]]])(
    "%j is refused",
    (words) => {
      expect(() => parseExec(words)).toThrow(UsageError);
    },
  );

  test("whatever the command is, it comes through as it was", () => {
    fc.assert(
      fc.property(fc.array(optionWords), fc.array(fc.string()), (options, command) => {
        const parsed = parseExec([...options.flat(), "box", ...command]);
        expect(parsed.sandbox).toBe("box");
        expect(parsed.command).toEqual(command);
      }),
    );
  });

  test("any words are either parsed without loss of the command, or refused", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("-", "--", "-it", "--env", "-e", "="))),
        (words) => {
          try {
            const { sandbox, command } = parseExec(words);
            if (sandbox !== undefined)
              expect(words.slice(words.length - command.length - 1)).toEqual([sandbox, ...command]);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
    );
  });
});

/** One option with any value, in each of the ways to write it. */
const optionWords = fc
  .tuple(fc.constantFrom<ExecOption>(...execOptions), fc.string(), fc.boolean())
  .map(([{ long, value }, text, joined]) => {
    if (value === undefined) return [`--${long}`];
    return joined ? [`--${long}=${text}`] : [`--${long}`, text];
  });
