import type { Migration } from "./migration.ts";

/** A prepared image keeps the layers of what it was made from, also when that name means another image by now. */
export const preparedBases: Migration = {
  version: 12,
  name: "prepared_bases",
  sql: `
    alter table prepared_images add column base_reference text;
    alter table prepared_images add column base_id text;
    comment on column prepared_images.base_reference is 'What it was made from, by its name; null: by an earlier version.';
    comment on column prepared_images.base_id is 'The image that had this name then.';
  `,
};
