/** A key for one thing that is to be made. Also where the page did not come by https, which has no randomUUID. */
export function newKey(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
