/** No engine can be had here, for a reason that is no defect of ours: what needs one is skipped, with these words. */
export class EngineUnavailable extends Error {
  /** @override */
  name = "EngineUnavailable";
}
