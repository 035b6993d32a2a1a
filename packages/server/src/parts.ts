import type { Place } from "@opentiger/orchestrator";
import type { Vault } from "@opentiger/secrets";
import type { Access } from "./access/access.ts";
import type { Metrics } from "./http/metrics.ts";
import type { ImageBuilder } from "./image/image-builder.ts";
import type { Feed } from "./live/feed.ts";
import type { Streams } from "./live/streams.ts";
import type { Processes } from "./processes/processes.ts";

/** What the routes work with. One a server. */
export interface Parts {
  place: Place;
  vault: Vault;
  access: Access;
  feed: Feed;
  streams: Streams;
  processes: Processes;
  images: ImageBuilder;
  metrics: Metrics;
  /** Aborted when the server ends. */
  signal: AbortSignal;
  /** By which this server is told from those before it. */
  boot: string;
  /** Whether it can be asked from other machines: then bytes take time. */
  beyondLoopback: boolean;
  /** Under which the user reaches it. */
  url(): string;
}
