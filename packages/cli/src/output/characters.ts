let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for characters. Most commands never ask, and finding its rules takes milliseconds. */
export function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
