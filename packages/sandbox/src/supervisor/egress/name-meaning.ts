import { hostname } from "node:os";
import { doorAddress, hostDoor } from "../../protocol/doors.ts";

/** What a name asked for inside stands for. */
export type NameMeaning =
  | { kind: "address"; address: string }
  /** A host outside; whether it may be reached, and whether it is there, is decided there. */
  | { kind: "host"; host: string }
  | { kind: "nothing" };

const maxNameLength = 253;
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** Names that lead nowhere from here: of a link, of a cloud's inside, of addresses, and those that are no names. */
const nowhere = new Set(["local", "internal", "arpa", "invalid", "onion"]);

export function meaningOf(asked: string): NameMeaning {
  const name = asked.toLowerCase();
  if (name === hostDoor.name) return { kind: "address", address: hostDoor.address };
  if (name === "localhost" || name.endsWith(".localhost") || name === hostname().toLowerCase())
    return { kind: "address", address: doorAddress };
  const labels = name.split(".");
  const last = labels.at(-1) ?? "";
  const isHost =
    labels.length > 1 &&
    name.length <= maxNameLength &&
    labels.every((part) => label.test(part)) &&
    !/^\d+$/.test(last) &&
    !nowhere.has(last);
  return isHost ? { kind: "host", host: name } : { kind: "nothing" };
}
