import type { ApiClient } from "@opentiger/server";

/** What a route answers with, as the server's own client has it. */
export type Answer<Ask> = Ask extends (...args: never[]) => Promise<infer Given>
  ? Given extends { status: 200 | 201; json(): Promise<infer Body> }
    ? Body
    : never
  : never;

/** What is sent to it. */
export type Body<Ask> = Ask extends (args: infer Given) => unknown
  ? Given extends { json: infer Json }
    ? Json
    : never
  : never;

export type Loop = Answer<ApiClient["loops"][":id"]["$get"]>;
export type Loops = Answer<ApiClient["loops"]["$get"]>;
export type NewLoop = Body<ApiClient["loops"]["$post"]>;
export type Merged = Answer<ApiClient["loops"][":id"]["merge"]["$post"]>;
export type Events = Answer<ApiClient["loops"][":id"]["events"]["$get"]>;
export type LoopEvent = Events["items"][number];
export type Usage = Answer<ApiClient["loops"][":id"]["usage"]["$get"]>;
export type Repositories = Answer<ApiClient["repositories"]["$get"]>;
export type Task = Answer<ApiClient["tasks"][":id"]["$get"]>;
export type Run = Answer<ApiClient["runs"][":id"]["$get"]>;
export type Runs = Answer<ApiClient["tasks"][":id"]["runs"]["$get"]>;
export type Artifacts = Answer<ApiClient["runs"][":id"]["artifacts"]["$get"]>;
export type Judgements = Answer<ApiClient["tasks"][":id"]["judgements"]["$get"]>;
export type Judgement = Judgements["items"][number];
export type TaskMessages = Answer<ApiClient["tasks"][":id"]["messages"]["$get"]>;
export type TaskMessage = TaskMessages["items"][number];
export type SentBack = Body<ApiClient["tasks"][":id"]["send-back"]["$post"]>;
export type Sent = Answer<ApiClient["tasks"][":id"]["send-back"]["$post"]>;
export type UsageRows = Answer<ApiClient["usage"]["$get"]>;
export type System = Answer<ApiClient["system"]["$get"]>;
export type Processes = Answer<ApiClient["system"]["processes"]["$get"]>;
export type Config = Answer<ApiClient["config"]["$get"]>;
export type Secrets = Answer<ApiClient["secrets"]["$get"]>;
export type Overview = Answer<ApiClient["overview"]["$get"]>;
export type ListedLoop = Loops["items"][number];
