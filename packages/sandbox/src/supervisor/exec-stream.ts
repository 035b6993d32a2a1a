import type { Duplex } from "node:stream";
import type { AttachSpec, ConnectRequest, ExecSpec } from "@opentiger/schema";
import {
  encodeFrame,
  encodeJson,
  type Frame,
  FrameDecoder,
  frameType,
  readJson,
} from "../protocol/frames.ts";
import type { Exec } from "./exec.ts";
import type { ExecTable } from "./exec-table.ts";
import { RefusedError, toRefusal } from "./refusals.ts";
import type { Offsets } from "./spool.ts";

/** Answers a question that came instead of an exec. */
export type Answer = (path: string, request: unknown) => Promise<unknown>;

const noAnswer: Answer = async (path) => {
  throw new RefusedError("unsupported", `${path} is not answered here`);
};

/**
 * Serves one exec over one byte stream: opens or attaches, sends what the spool holds and what comes, takes stdin,
 * acknowledgements and signals. When the stream ends the exec goes on. Or answers one question, or leads to a port.
 */
export function serveExecStream(
  stream: Duplex,
  table: ExecTable,
  ready: Promise<void>,
  answer: Answer = noAnswer,
): void {
  const decoder = new FrameDecoder();
  let exec: Exec | undefined;
  let queue = ready;
  const receive = (chunk: Buffer): void => {
    let frames: Frame[];
    try {
      frames = decoder.push(chunk);
    } catch {
      stream.destroy();
      return;
    }
    for (const frame of frames) queue = queue.then(() => take(frame)).catch(refuse);
  };
  stream.on("data", receive);
  stream.on("error", () => {});

  async function take(frame: Frame): Promise<void> {
    if (exec) return apply(exec, stream, frame);
    if (frame.type === frameType.request) return reply(stream, frame, answer);
    if (frame.type === frameType.connect) {
      stream.off("data", receive);
      return lead(stream, frame);
    }
    exec = await begin(stream, table, frame);
  }

  function refuse(error: unknown): void {
    send(stream, encodeJson(frameType.refused, toRefusal(error)));
    stream.end();
    stream.resume();
  }
}

/** Joins the stream to a port of this sandbox. The host sends nothing before the answer; then only bytes follow. */
async function lead(stream: Duplex, frame: Frame): Promise<void> {
  stream.pause();
  const { connectInside } = await import("./egress/connect-inside.ts");
  const { join } = await import("./egress/join.ts");
  const socket = await connectInside((readJson(frame) as ConnectRequest).port);
  stream.allowHalfOpen = true;
  send(stream, encodeJson(frameType.answer, {}));
  join(stream, socket);
}

async function reply(stream: Duplex, { payload }: Frame, answer: Answer): Promise<void> {
  const text = payload.toString("utf8");
  const end = text.indexOf("\n");
  send(
    stream,
    encodeJson(frameType.answer, await answer(text.slice(0, end), JSON.parse(text.slice(end + 1)))),
  );
  stream.end();
}

async function begin(stream: Duplex, table: ExecTable, frame: Frame): Promise<Exec> {
  if (frame.type === frameType.attach) {
    // The host speaks this protocol in the same version: shapes are checked there, before they are sent.
    const spec = readJson(frame) as AttachSpec;
    const exec = await table.get(spec.attach);
    const from = {
      stdout: spec.stdout ?? exec.spool.acknowledged.stdout,
      stderr: spec.stderr ?? exec.spool.acknowledged.stderr,
    };
    refuseWithout(exec, from);
    // What the reader has needs no keeping: a spool full of nothing else would block the writer for ever.
    exec.acknowledge("stdout", from.stdout);
    exec.acknowledge("stderr", from.stderr);
    send(stream, encodeJson(frameType.opened, { id: exec.id, pid: exec.pid, resumed: true }));
    pump(stream, exec, from);
    return exec;
  }
  if (frame.type !== frameType.open) throw new Error("the first frame must open or attach");
  const { exec, resumed } = await table.open(readJson(frame) as ExecSpec);
  refuseWithout(exec, exec.spool.acknowledged);
  send(stream, encodeJson(frameType.opened, { id: exec.id, pid: exec.pid, resumed }));
  pump(stream, exec, { ...exec.spool.acknowledged });
  return exec;
}

/** Never a part of the output as if it were all of it. */
function refuseWithout(exec: Exec, from: Offsets): void {
  if (exec.spool.holds(from)) return;
  throw new RefusedError(
    "exec_not_found",
    `what exec ${exec.id} wrote from ${from.stdout}/${from.stderr} on is no longer here: it was acknowledged, or made room for others`,
  );
}

/** Sends output as long as the stream takes it, then waits to be woken; the exit comes last. */
function pump(stream: Duplex, exec: Exec, from: { stdout: number; stderr: number }): void {
  const reader = exec.spool.reader(from);
  let blocked = false;
  let over = false;
  exec.reader?.replaced();
  const own = {
    wake(): void {
      while (!blocked && !over) {
        const chunk = reader.next();
        if (chunk) blocked = !send(stream, encodeFrame(frameType[chunk.stream], chunk.data, chunk.offset));
        else if (exec.exit) finish();
        else return;
      }
    },
    replaced(): void {
      over = true;
      stream.destroy();
    },
  };
  exec.reader = own;
  stream.on("drain", () => {
    blocked = false;
    own.wake();
  });
  stream.once("close", () => {
    over = true;
    if (exec.reader === own) exec.reader = null;
  });
  own.wake();

  function finish(): void {
    over = true;
    send(stream, encodeJson(frameType.exit, exec.exit));
    stream.end();
  }
}

async function apply(exec: Exec, stream: Duplex, frame: Frame): Promise<void> {
  switch (frame.type) {
    case frameType.ackStdout:
      return exec.acknowledge("stdout", frame.offset);
    case frameType.ackStderr:
      return exec.acknowledge("stderr", frame.offset);
    case frameType.stdin:
      exec.stdin?.write(frame.payload, () =>
        send(stream, encodeFrame(frameType.ackStdin, undefined, frame.offset + frame.payload.length)),
      );
      return;
    case frameType.stdinEnd:
      exec.stdin?.end();
      return;
    case frameType.signal: {
      const { signal } = readJson(frame) as { signal: NodeJS.Signals };
      return exec.signal(signal);
    }
    default:
      throw new Error(`frame ${frame.type} does not come from the host`);
  }
}

function send(stream: Duplex, [header, payload]: [Buffer, Buffer]): boolean {
  if (stream.destroyed || stream.writableEnded) return true;
  if (payload.length === 0) return stream.write(header);
  stream.cork();
  stream.write(header);
  const flowing = stream.write(payload);
  stream.uncork();
  return flowing;
}
