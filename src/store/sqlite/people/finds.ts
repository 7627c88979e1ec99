import { foldBytes } from '../../../domain/values/folded.ts'
import { isPartOf, standsAlone } from '../../people/stands-alone.ts'
import { type anchorsOf, eachText } from './anchors.ts'

/** The texts that are looked for, folded, and the longer words in which they are no find. */
export interface Wanted {
  anchors: ReturnType<typeof anchorsOf>
  words: readonly Buffer[]
}

/** Calls back with where each text stands in these bytes, in whatever letters, that is no part of a longer number, or of one of the words. */
export function eachFound(bytes: Buffer, { anchors, words }: Wanted, tell: (at: number) => void): void {
  const small = foldBytes(bytes)
  eachText(small, anchors, (at, text) => {
    if (standsAlone(small, at, text) && !isPartOf(words, small, at, text)) tell(at)
  })
}
