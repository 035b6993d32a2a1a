import type { RequestRecord } from "./metering/record.ts";
import type { Provider } from "./routes/provider.ts";

/** Something that happened to a credential. Times are ISO; there is never a value in it. */
export interface CredentialEvent {
  at: string;
  sandbox: string;
  provider: Provider;
  origin: string;
}

export interface QuotaEvent extends CredentialEvent {
  type: "quota";
  until: string;
}

export interface AuthFailedEvent extends CredentialEvent {
  type: "auth_failed";
  status: number;
}

export type GatewayEvent =
  | { type: "request"; record: RequestRecord }
  | QuotaEvent
  | AuthFailedEvent
  | { type: "renewed"; at: string; origin: string }
  | { type: "trouble"; at: string; message: string };

/** Whoever listens. One who throws does not keep the others from hearing. */
export class Listeners {
  readonly #listeners = new Set<(event: GatewayEvent) => void>();

  subscribe(listener: (event: GatewayEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: GatewayEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // Its own trouble.
      }
    }
  }
}
