import type { SavedImages } from "@opentiger/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { expectPrepared, findPrepared, touchPrepared } from "../state/prepared-images.ts";
import { prunePrepared } from "./prune-prepared.ts";

/** More than all of them may take together. */
const bytes = 2 * 1024 ** 3;

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
  place.env["OPENTIGER_PREPARED_SIZE"] = "1g";
});

afterAll(() => place.remove());

const worker = { reference: "opentiger/worker:latest", id: "sha256:worker" };

/** A prepared image that nobody has asked for since yesterday. */
async function unused(key: string, size = bytes, base = worker): Promise<void> {
  await expectPrepared(place.database, { key, reference: `opentiger/prepared:${key}`, base });
  await touchPrepared(place.database, key, size);
  await place.database.query("update prepared_images set used_at = now() - interval '1 day' where key = $1", [
    key,
  ]);
}

/** An engine's images, of which something is asked while one is looked for or removed. */
function engineWith(
  images: Set<string>,
  meanwhile: Partial<Record<keyof SavedImages, () => void | Promise<void>>>,
): { images: SavedImages; imageId: () => Promise<string> } {
  return {
    imageId: async () => worker.id,
    images: {
      async find(reference) {
        await meanwhile.find?.();
        return images.has(reference) ? { reference, imageId: "sha256:1", bytes } : undefined;
      },
      async remove(reference) {
        await meanwhile.remove?.();
        return images.delete(reference);
      },
    },
  };
}

it("an image that is asked for while it is removed is not given to who asks", async () => {
  await unused("asked");
  const images = new Set(["opentiger/prepared:asked"]);
  let given: Promise<boolean> | undefined;
  const engine = engineWith(images, {
    remove: () => {
      given = touchPrepared(place.database, "asked", bytes);
    },
  });
  await prunePrepared(place, engine);
  expect(images.size).toBe(0);
  expect(await given).toBe(false);
});

it("an image that was asked for since it was looked at stays", async () => {
  await unused("since");
  const images = new Set(["opentiger/prepared:since"]);
  const engine = engineWith(images, {
    find: async () => {
      expect(await touchPrepared(place.database, "since", bytes)).toBe(true);
    },
  });
  await prunePrepared(place, engine);
  expect(images.size).toBe(1);
  expect(await findPrepared(place.database, "since")).toBeDefined();
});

it("an image that a sandbox uses stays known", async () => {
  await unused("used");
  await prunePrepared(place, {
    imageId: async () => worker.id,
    images: {
      find: async (reference) => ({ reference, imageId: "sha256:1", bytes }),
      remove: async () => false,
    },
  });
  expect(await findPrepared(place.database, "used")).toBeDefined();
});

it("images of a base that was built anew go, however small they are: they keep all of it on the disk", async () => {
  const small = 1024;
  await unused("of-now", small);
  await unused("of-before", small, { ...worker, id: "sha256:worker-before" });
  await unused("of-another", small, { reference: "example.test/own:1", id: "sha256:own" });
  await unused("of-long-ago", small);
  // By a version that did not write down what it was made from.
  await place.database.query(
    "update prepared_images set base_id = null, base_reference = null where key = 'of-long-ago'",
  );
  const keys = ["of-now", "of-before", "of-another", "of-long-ago"];
  const images = new Set(keys.map((key) => `opentiger/prepared:${key}`));
  await place.database.query("delete from prepared_images where key <> all($1)", [keys]);
  const { images: saved } = engineWith(images, {});
  await prunePrepared(place, {
    images: saved,
    imageId: async (reference) => (reference === worker.reference ? worker.id : "sha256:own"),
  });
  expect([...images]).toEqual(
    ["of-now", "of-another", "of-long-ago"].map((key) => `opentiger/prepared:${key}`),
  );
  expect(await findPrepared(place.database, "of-before")).toBeUndefined();
});
