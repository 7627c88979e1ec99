import { isPartOf, standsAlone } from '../../people/stands-alone.ts'
import { type anchorsOf, eachText } from './anchors.ts'

/** The texts that are looked for, and the longer words in which they are no find. */
export interface Wanted {
  anchors: ReturnType<typeof anchorsOf>
  words: readonly Buffer[]
}

/** Calls back with where each text stands in these bytes that is no part of a longer number, or of one of the words. */
export function eachFound(bytes: Buffer, { anchors, words }: Wanted, tell: (at: number) => void): void {
  eachText(bytes, anchors, (at, text) => {
    if (standsAlone(bytes, at, text) && !isPartOf(words, bytes, at, text)) tell(at)
  })
}
