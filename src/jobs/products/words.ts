import { type ReadProduct, type Word, wordsOf } from '../../domain/catalogue/master-data.ts'
import type { MirrorRow } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { suggest } from '../../lib/suggest.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-mirror.ts'

/** Words that products are filed under, and which of them are new. */
export interface Words {
  /** Notes those of products that were read, and keeps them. */
  note(products: readonly ReadProduct[], now: Instant): Promise<void>
  /** Words that nobody had used before, and the products that brought them. */
  found: { word: Word; like: string | null; product: ReadProduct }[]
}

/** `isBaseline`: all words are those that were there before, and none is new. */
export async function openWords(store: Pick<Store, 'mirrorPage' | 'saveMirror'>, isBaseline: boolean): Promise<Words> {
  const known = new Map<string, Word>()
  for await (const rows of mirrorPages(store, { set: 'words' }))
    for (const { key, body } of rows) known.set(key, { sort: body.sort, word: body.word } as Word)
  const found: Words['found'] = []

  return {
    found,
    async note(products, now) {
      const rows: MirrorRow[] = []
      for (const product of products)
        for (const word of wordsOf(product)) {
          const key = `${word.sort}/${word.word}`
          if (known.has(key)) continue
          const like = isBaseline ? null : likeOf(word)
          known.set(key, word)
          rows.push(rowOf(key, word, product, like, isBaseline ? null : now))
          if (!isBaseline) found.push({ word, like, product })
        }
      if (rows.length > 0)
        await store.saveMirror(
          rows.map((row) => ({ type: 'put', row })),
          now,
        )
    },
  }

  /** One that was there before and is written much the same: it may have been meant. */
  function likeOf({ sort, word }: Word): string | null {
    const others = [...known.values()].filter((one) => one.sort === sort).map((one) => one.word)
    return word.length < SHORT ? null : suggest(word, others)
  }
}

/** Codes of seasons are like one another. */
const SHORT = 5

/** `since`: null where it was there before the hub was. */
function rowOf(key: string, word: Word, product: ReadProduct, like: string | null, since: Instant | null): MirrorRow {
  const { productId, extId, name, number } = product
  return {
    set: 'words',
    key,
    place: null,
    article: null,
    day: since === null ? '' : new Date(since).toISOString().slice(0, 10),
    part: null,
    version: 0,
    tie: 0,
    body: { ...word, like, since, product: { productId, extId, name, number } },
  }
}
