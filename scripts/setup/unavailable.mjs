/** What a suite needs cannot be had here, for a reason that is no defect of ours: it is skipped, with these words. */
export class Unavailable extends Error {
  /** @override */
  name = "Unavailable";
}
