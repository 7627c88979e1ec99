import { foldBytes } from '../../../domain/values/folded.ts'
import { isPartOf, standsAlone } from '../../people/stands-alone.ts'
import { findTexts } from './anchors.ts'

/** The texts that are looked for, folded, and the longer words in which they are no find. */
export interface Wanted {
  find: ReturnType<typeof findTexts>
  /** The longest of the texts and words (bytes). */
  longest: number
  words: readonly Buffer[]
}

/** Calls back with where each text stands in these bytes, in whatever letters, that is no part of a longer number, or of one of the words. */
export function eachFound(bytes: Buffer, { find, words }: Wanted, tell: (at: number) => void): void {
  const small = foldBytes(bytes)
  find(small, (at, text) => {
    if (standsAlone(small, at, text) && !isPartOf(words, small, at, text)) tell(at)
  })
}

/** Texts and words, ready to be looked for. */
export function wantedOf(texts: readonly string[], words: readonly string[]): Wanted {
  const longest = [...texts, ...words].reduce((most, text) => Math.max(most, Buffer.byteLength(text)), 1)
  return { find: findTexts(texts), words: words.map((word) => Buffer.from(word)), longest }
}
