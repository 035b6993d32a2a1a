import type { HttpBindings } from "@hono/node-server";
import { OpenAPIHono, z } from "@hono/zod-openapi";
import { errorCodes, isErrorCode } from "@opentiger/schema";
import type { TypedResponse } from "hono";
import type { Who } from "../access/who.ts";
import { ServerError } from "../errors.ts";

export interface ApiEnv {
  Bindings: HttpBindings;
  Variables: { who: Who };
}

/** A part of the API. Input of another form than its route says never reaches the handler. */
export function newApi(): OpenAPIHono<ApiEnv> {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw badInput(result.target, result.error);
    },
  });
}

const known = Object.keys(errorCodes).filter(isErrorCode);

/** Every error, of every route. */
export const apiError = z
  .object({
    code: z.enum(known),
    message: z.string(),
    /** What mends it, where that is known. */
    remedy: z.string().optional(),
  })
  .openapi("Error");

const failure = { description: "Why not", content: { "application/json": { schema: apiError } } };

/** What every route may answer in place of its own. */
export const failures = { "4XX": failure, "5XX": failure };

/** The answers of a route that answers with JSON. */
export function answers<Shape extends z.ZodType>(schema: Shape, description: string) {
  return { 200: { description, content: { "application/json": { schema } } }, ...failures };
}

/** The same where something new came into being. */
export function creates<Shape extends z.ZodType>(schema: Shape, description: string) {
  return { 201: { description, content: { "application/json": { schema } } }, ...failures };
}

/** A body of JSON that has to be there. */
export function jsonBody<Shape extends z.ZodType>(schema: Shape) {
  return { required: true, content: { "application/json": { schema } } };
}

/** A body that may be left out. */
export function optionalJsonBody<Shape extends z.ZodType>(schema: Shape) {
  return { required: false, content: { "application/json": { schema } } };
}

/** Done, and there is nothing to say about it. */
export const done = z.object({ done: z.literal(true) }).openapi("Done");

/** A text that is sent in pieces. The library's types know only those that are there as a whole. */
export function textAnswer(answer: Response): Response & TypedResponse<string, 200, "text"> {
  return answer as Response & TypedResponse<string, 200, "text">;
}

function badInput(target: string, error: z.ZodError): ServerError {
  const issues = error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || target}: ${message}`);
  return new ServerError("usage", issues.join("; "), {
    remedy: "GET /openapi.json says what each route takes",
  });
}
