import type { KnownWord } from '../../domain/catalogue/finding.ts'
import { wordKey } from '../../domain/catalogue/finding-place.ts'
import type { ReadProduct } from '../../domain/catalogue/master-data.ts'
import { type Word, wordsOf } from '../../domain/catalogue/words.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { suggest } from '../../lib/suggest.ts'
import type { Store } from '../../store/store.ts'
import { findingPages } from '../../store/walk-pages.ts'

/** Words that products are filed under, and which of them are new. */
export interface Words {
  /** Notes those of products that were read, and keeps them. */
  note(products: readonly ReadProduct[], now: Instant): Promise<void>
  /** Words that nobody had used before, and the products that brought them. */
  found: { word: Word; like: string | null; product: ReadProduct }[]
}

/** `isBaseline`: all words are those that were there before, and none is new. */
export async function openWords(store: Pick<Store, 'findings' | 'saveFindings'>, isBaseline: boolean): Promise<Words> {
  const known = new Map<string, Word>()
  for await (const page of findingPages(store, { sort: 'word' })) for (const { key, says } of page) known.set(key, says)
  const found: Words['found'] = []

  return {
    found,
    async note(products, now) {
      const more: KnownWord[] = []
      for (const product of products)
        for (const word of wordsOf(product)) {
          const key = wordKey(word)
          if (known.has(key)) continue
          const like = isBaseline ? null : likeOf(word)
          known.set(key, word)
          more.push(knownWord(word, product, like, isBaseline ? null : now))
          if (!isBaseline) found.push({ word, like, product })
        }
      if (more.length > 0)
        await store.saveFindings(more.map((says) => ({ type: 'keep', finding: { sort: 'word', says } })))
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

function knownWord(word: Word, product: ReadProduct, like: string | null, since: Instant | null): KnownWord {
  const { productId, extId, name, number } = product
  return { ...word, like, since, product: { productId, extId, name, number } }
}
