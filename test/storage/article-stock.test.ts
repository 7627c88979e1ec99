import { expect, test } from 'vitest'
import type { StoredMirrorRow } from '../../src/domain/catalogue/mirror.ts'
import { createArticleStock } from '../../src/storage/article-stock.ts'

const GTIN = '7090012340011'

/** A mirror with ten of an article in stock 12, of which three are kept for somebody. */
const storage = {
  now: () => 1,
  mirrorRows: async () => [{ place: '12', body: { level: '10', sku: null } } as unknown as StoredMirrorRow],
  mirrorPage: async () => [{ place: '12', body: { quantity: '3' } } as unknown as StoredMirrorRow],
}

for (const [levelsAreSellable, reserved] of [
  [false, '3'],
  [true, '0'],
] as const)
  test(`When the levels of the platform are sellable: ${levelsAreSellable}, then ${reserved} of what is kept for somebody are yet to be taken off`, async () => {
    const stockOf = createArticleStock({ storage, stocks: ['12'], levelsAreSellable })
    expect((await stockOf(GTIN))?.stocks).toEqual([{ stockId: '12', level: '10', reserved }])
  })
