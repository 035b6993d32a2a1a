import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, type Frame, FrameDecoder, type FrameType, frameType, maxPayload } from "./frames.ts";

const frames = fc.array(
  fc.record({
    type: fc.constantFrom(...(Object.values(frameType) as FrameType[])),
    offset: fc.nat({ max: 2 ** 48 - 1 }),
    payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 20 },
);

describe("the frame protocol", () => {
  it("gives back the same frames however the bytes are split", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 40 }), (sent, cuts) => {
        const bytes = Buffer.concat(
          sent.flatMap((frame) => encodeFrame(frame.type, frame.payload, frame.offset)),
        );
        const decoder = new FrameDecoder();
        const received = split(bytes, cuts).flatMap((piece) => decoder.push(piece));
        expect(received.map(plain)).toEqual(sent.map(plain));
        expect(decoder.atBoundary).toBe(true);
      }),
    );
  });

  it("knows that a cut stream did not end at a frame", () => {
    fc.assert(
      fc.property(frames, fc.nat(), (sent, cut) => {
        const bytes = Buffer.concat(
          sent.flatMap((frame) => encodeFrame(frame.type, frame.payload, frame.offset)),
        );
        const decoder = new FrameDecoder();
        const whole = decoder.push(bytes.subarray(0, bytes.length === 0 ? 0 : cut % bytes.length));
        const length = whole.reduce((sum, frame) => sum + 11 + frame.payload.length, 0);
        expect(decoder.atBoundary).toBe(length === (bytes.length === 0 ? 0 : cut % bytes.length));
      }),
    );
  });

  it("never answers arbitrary bytes with anything but frames or an error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          for (const frame of new FrameDecoder().push(Buffer.from(bytes))) {
            expect(Object.values(frameType)).toContain(frame.type);
          }
        } catch (error) {
          expect(String(error)).toMatch(/unknown frame type|too large/);
        }
      }),
    );
  });

  it("refuses a peer that announces more than a frame may hold", () => {
    const header = Buffer.alloc(11);
    header.writeUInt8(frameType.stdout, 0);
    header.writeUInt32BE(maxPayload + 1, 1);
    expect(() => new FrameDecoder().push(header)).toThrow(/too large/);
  });
});

function split(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

function plain(frame: Frame): unknown {
  return { ...frame, payload: frame.payload.toString("hex") };
}
