import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type KeptOpinion, opinion, pointsOf, together } from "./opinion.ts";

const word = fc.constantFrom("pass", "fail", "inconclusive");

describe("the opinions of all pieces together", () => {
  it("are a pass only where each of them is one, and there is one", () => {
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const all = together(words.map((judgement) => ({ judgement })));
        const isPass = words.length > 0 && words.every((each) => each === "pass");
        expect(all === "pass").toBe(isPass);
        expect(all === "fail").toBe(words.includes("fail"));
      }),
    );
  });

  it("tell the worker the points of what failed and of nothing else", () => {
    const of = (judgement: KeptOpinion["judgement"], text: string): KeptOpinion => ({
      judgement,
      summary: `${text} in short`,
      files: [`${text}.ts`],
      points: [{ file: `${text}.ts`, line: 3, text }],
    });
    expect(pointsOf([of("pass", "good"), of("fail", "bad"), { ...of("fail", "worse"), points: [] }])).toEqual(
      [
        { by: "judge", file: "bad.ts", line: 3, text: "bad" },
        { by: "judge", file: "worse.ts", line: null, text: "worse in short" },
      ],
    );
  });
});

describe("an answer", () => {
  it.each([
    ["nothing", undefined],
    ["prose", "All of it is fine: pass."],
    ["another word", { judgement: "approved", summary: "", points: [] }],
    ["a word alone", { judgement: "pass" }],
    ["a list of words", { judgement: ["pass", "fail"], summary: "", points: [] }],
  ])("that is %s is no opinion", (_what, answer) => {
    expect(opinion.safeParse(answer).success).toBe(false);
  });
});
