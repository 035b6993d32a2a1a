import { connect } from "node:net";
import type { SelfTestRequest } from "@opentiger/schema";
import { alwaysDenied, doorAddress, doorPorts } from "../../protocol/doors.ts";
import { RefusedError } from "../refusals.ts";
import { refuseInterfaces } from "./interfaces.ts";

const patienceMs = 10_000;

/** More than the first line of an answer. */
const maxAnswerBytes = 4096;

/** The guard looks at itself before the first command: no network but the doors, and a denied request is denied. */
export async function selfTest({ of }: SelfTestRequest): Promise<void> {
  refuseInterfaces();
  if (of === "interfaces") return;
  const status = await askForDenied();
  if (status === "403") return;
  if (status === "503") {
    throw new RefusedError("sandbox_broken", "sandboxd does not answer for this sandbox: it has no network");
  }
  throw new RefusedError(
    "sandbox_broken",
    `a request that every policy denies was answered with ${status || "nothing"} instead of 403: the network policy does not hold`,
  );
}

/** The status of the answer; empty when there was none. */
function askForDenied(): Promise<string> {
  const { host, port } = alwaysDenied;
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(doorPorts.proxy, doorAddress);
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.setEncoding("latin1");
    socket.on("error", () => {});
    socket.once("close", () => resolve(statusOf(answer)));
    socket.on("data", (text: string) => {
      answer += text;
      if (answer.includes("\r\n") || answer.length > maxAnswerBytes) socket.destroy();
    });
    socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`);
  });
}

function statusOf(answer: string): string {
  return /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(answer)?.[1] ?? "";
}
