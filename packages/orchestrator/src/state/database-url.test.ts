import { expect, it } from "vitest";
import { databaseUrl } from "./database-url.ts";

it("is what OPENTIGER_DATABASE_URL says, shown without user and password", () => {
  const found = databaseUrl({ OPENTIGER_DATABASE_URL: "postgres://me:hidden@db.example:5433/tiger" });
  expect(found?.where).toBe("db.example:5433/tiger");
  expect(new URL(found?.url ?? "").password).toBe("hidden");
});

it("is not what DATABASE_URL says: that one is a project's own", () => {
  expect(databaseUrl({ DATABASE_URL: "postgres://me@db/project" })).toBeUndefined();
  expect(databaseUrl({ OPENTIGER_DATABASE_URL: " " })).toBeUndefined();
});

it("keeps what the URL says to the server, and adds where our tables are", () => {
  const url = "postgresql://me:hidden@/tiger?host=/var/run/postgresql&options=-c%20work_mem%3D8MB";
  const found = databaseUrl({ OPENTIGER_DATABASE_URL: url });
  expect(found?.where).toBe("/var/run/postgresql/tiger");
  const options = new URL(found?.url ?? "").searchParams.get("options");
  expect(options).toBe("-c work_mem=8MB -c search_path=opentiger");
});

it.each(["mysql://me:hidden@db/x", "me:hidden@db", "postgres//me:hidden@db/x"])(
  "%s is refused with what to do, and not repeated",
  (url) => {
    const refusal = (() => {
      try {
        return databaseUrl({ OPENTIGER_DATABASE_URL: url });
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({
      code: "database_refused",
      remedy: expect.stringContaining("postgres://"),
    });
    expect(JSON.stringify(refusal) + String(refusal)).not.toContain("hidden");
  },
);
