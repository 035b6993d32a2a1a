import { request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { finish, runCommand, startModelSim, think, whenPrompt } from "@opentiger/model-sim";

export const modelSentence = "The model was reached.";

/** What a question has to contain for its answer to take two seconds. */
export const slowly = "take your time";

/**
 * A question that has these words in it is answered with a command that makes the one file in its folder and waits for the
 * other: meanwhile the agent is in the middle of its turn, and has asked the model once.
 */
export const waitForMe = "wait for me";
export const midTurn = { begun: "begun", goOn: "go-on" } as const;

const waiting = `touch ${midTurn.begun}; until [ -e ${midTurn.goOn} ]; do sleep 0.05; done; rm ${midTurn.begun} ${midTurn.goOn}`;

/** Of each answer. */
const tokens = { input: 1000, output: 10, cacheRead: 0, cacheWrite: 0 };

const sim = startModelSim({
  scenarioFor: [
    whenPrompt(slowly, { steps: [think(2000), finish(modelSentence)], tokens }),
    whenPrompt(waitForMe, { steps: [runCommand(waiting), finish(modelSentence)], tokens }),
  ],
  scenario: { steps: [finish(modelSentence)], tokens },
});

/** The paths of both APIs, whatever a server of a test has in front of them. */
const modelPath = /(?:\/v1)?\/(?:messages(?:\/count_tokens)?|responses|models)(?:\?.*)?$/;

/**
 * Lets the simulated model answer a question that came to a server of a test's own, which has looked at it first. false:
 * that was no question to a model.
 */
export function answerAsModel(request: IncomingMessage, body: string, response: ServerResponse): boolean {
  const [path] = modelPath.exec(request.url ?? "") ?? [];
  if (path === undefined) return false;
  void passOn(request, path, body, response);
  return true;
}

async function passOn(
  { method = "GET", headers }: IncomingMessage,
  path: string,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const { host: _, "content-length": _length, ...sent } = headers;
  const passed = ask(`${(await sim).url}${path}`, { method, headers: sent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  response.on("close", () => passed.destroy());
  passed.end(body);
}
