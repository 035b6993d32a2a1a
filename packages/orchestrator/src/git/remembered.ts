/**
 * What was found out about commits, which never change: the answers to the last so many questions. Whoever asks works
 * alone until there is an answer, so that nobody else's end is theirs; what failed is asked again.
 */
export class Remembered<T> {
  readonly #most: number;
  readonly #answers = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The question has the full id of every commit that it is about. A copy: whoever gets it may change it. */
  async answer(question: string, find: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(question);
    const answer = known ?? (await find());
    this.#answers.delete(question);
    this.#answers.set(question, answer);
    for (const [oldest] of this.#answers) {
      if (this.#answers.size <= this.#most) break;
      this.#answers.delete(oldest);
    }
    return structuredClone(answer);
  }
}
