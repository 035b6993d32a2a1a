import { anySignal, jsonOf, opentigerVersion } from "@opentiger/schema";
import { z } from "zod";
import type { Credential } from "../credentials/credential.ts";
import { readStart } from "../exchange/answer-stream.ts";
import { type Upstream, UpstreamFailure } from "../exchange/upstream.ts";
import type { Provider } from "../routes/provider.ts";

/** A list of models is small and made of nothing: an API that takes longer is in trouble. */
const answerMs = 10_000;

const largestList = 4 * 1024 * 1024;

/** A portal that answers everything with a page of its own has accepted nothing. */
const modelList = z.union([
  z.object({ data: z.array(z.unknown()) }),
  z.object({ models: z.array(z.unknown()) }),
]);

const paths: Readonly<Record<Provider, string>> = {
  anthropic: "/v1/models?limit=1",
  openai: "/v1/models",
  chatgpt: "/models?client_version=1.0.0",
};

export type Asked =
  | { answer: "status"; status: number }
  /** 2xx, and not what was asked for. */
  | { answer: "other" }
  | { answer: "timeout"; seconds: number }
  | { answer: "unreachable"; code: string };

export interface ModelsQuestion {
  upstream: Upstream;
  url: URL;
  provider: Provider;
  credential: Credential;
  signal: AbortSignal;
}

/** Asks an API which models it has: that costs no tokens, and is answered only to who is logged in. */
export async function askForModels({
  upstream,
  url,
  provider,
  credential,
  signal,
}: ModelsQuestion): Promise<Asked> {
  const target = new URL(`${url.href.replace(/\/+$/, "")}${paths[provider]}`);
  const time = AbortSignal.timeout(answerMs);
  try {
    const answer = await upstream.ask({
      url: target,
      method: "GET",
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": `opentiger/${opentigerVersion}`,
        ...(provider === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}),
        ...credential.headers,
      },
      signal: anySignal([signal, time]),
      send: (request) => request.end(),
    });
    const { statusCode: status = 0 } = answer;
    const text = (await readStart(answer, largestList)).toString("utf8");
    if (status < 200 || status > 299) return { answer: "status", status };
    return modelList.safeParse(jsonOf(text)).success ? { answer: "status", status } : { answer: "other" };
  } catch (error) {
    if (time.aborted) return { answer: "timeout", seconds: answerMs / 1000 };
    return { answer: "unreachable", code: error instanceof UpstreamFailure ? error.code : "no answer" };
  }
}
