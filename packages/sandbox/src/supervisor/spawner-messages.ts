/** What the supervisor and native/spawner.c say to each other: numbers of 32 bits, in the machine's own order. */
export const spawnerVersion = 1;

const requestType = { pipe: 1, spawn: 2, kill: 3 } as const;
export const answerType = { ready: 1, pipe: 2, started: 3, failed: 4, exited: 5 } as const;

export interface Answer {
  type: number;
  /** Of what was asked; of `exited`, the process; of `ready`, the version. */
  id: number;
  first: number;
  second: number;
}

/** A command to be started. */
export interface SpawnRequest {
  user: { uid: number; gid: number };
  /** The group by which its processes are known. */
  marker: number;
  emptyBoundingSet: boolean;
  cwd: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** In place of the number of a pipe: /dev/null. */
export const noPipe = 0xffff_ffff;

/** What native/spawner.c takes is a little more. The kernel takes less. */
const maxStringBytes = 8 * 1024 * 1024 - 1024;

const word = 4;
const answerBytes = 4 * word;

/** undefined for what no process can be started with: more than the kernel takes, or a zero byte in a string. */
export function encodeStrings({ cwd, argv, env }: SpawnRequest): Buffer | undefined {
  const strings = [cwd, ...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  if (strings.some((text) => text.includes("\0"))) return undefined;
  const bytes = Buffer.from(`${strings.join("\0")}\0`);
  return bytes.length <= maxStringBytes ? bytes : undefined;
}

export function encodeSpawn(
  id: number,
  { user, marker, emptyBoundingSet, argv, env }: SpawnRequest,
  pipes: readonly number[],
  strings: Buffer,
): Buffer {
  const rights = [user.uid, user.gid, marker, emptyBoundingSet ? 1 : 0];
  const head = words(...rights, ...pipes, argv.length, Object.keys(env).length);
  return Buffer.concat([words(requestType.spawn, id, head.length + strings.length), head, strings]);
}

export function encodePipe(number: number): Buffer {
  return words(requestType.pipe, number, 0);
}

export function encodeKill(pid: number, signal: number): Buffer {
  return words(requestType.kill, pid, word, signal);
}

/** Takes bytes as they come and gives back whole answers. */
export class AnswerDecoder {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Answer[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const whole = bytes.length - (bytes.length % answerBytes);
    this.#rest = bytes.subarray(whole);
    const answers: Answer[] = [];
    for (let start = 0; start < whole; start += answerBytes) answers.push(decode(bytes, start));
    return answers;
  }
}

/** Copied first, since what came out of a socket lies at any address. */
function decode(bytes: Buffer, start: number): Answer {
  const copy = Uint8Array.from(bytes.subarray(start, start + answerBytes));
  const [type = 0, id = 0, first = 0, second = 0] = new Uint32Array(copy.buffer);
  return { type, id, first, second };
}

function words(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
