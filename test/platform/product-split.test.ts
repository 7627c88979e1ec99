import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitsAlone, type Sized, splitBySize } from '../../src/platform/product-split.ts'

const LIMIT = 150

interface Item extends Sized {
  value: object
}

/** Letters of one to four bytes in UTF-8, a half of a pair among them, and characters that JSON escapes. */
const value = fc.record({
  extId: fc.string({ unit: 'binary', maxLength: 12 }),
  name: fc.option(fc.constantFrom('ø', '漢字', '👟👟', '\u0000', '\ud800', '"', ''), { nil: undefined }),
})

const items = fc
  .array(value, { maxLength: 40 })
  .map((values) =>
    values
      .map((each): Item => ({ value: each, bytes: Buffer.byteLength(JSON.stringify(each)) }))
      .filter(({ bytes }) => bytes !== null && fitsAlone(bytes, LIMIT)),
  )

describe('when products are split into bodies', () => {
  test('then each stands in one of them, in order', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const parts = await partsOf(given)
        expect(parts.flat()).toEqual(given)
        expect(parts.every((part) => part.length > 0)).toBe(true)
      }),
    )
  })

  test('then no body is larger than the limit, measured as it is sent', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        for (const part of await partsOf(given)) expect(sizeOf(part)).toBeLessThanOrEqual(LIMIT)
      }),
    )
  })

  test('then no body could have taken the next product', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const parts = await partsOf(given)
        for (const [index, part] of parts.slice(0, -1).entries())
          expect(sizeOf([...part, ...(parts[index + 1] ?? []).slice(0, 1)])).toBeGreaterThan(LIMIT)
      }),
    )
  })

  test('then one that fills a body to the last byte fits, and one byte more does not', () => {
    expect([fitsAlone(LIMIT - 2, LIMIT), fitsAlone(LIMIT - 1, LIMIT)]).toEqual([true, false])
  })

  test('then what is not sent keeps its place, and no more than a thousand of it are kept', async () => {
    const unsent = Array.from({ length: 2_500 }, (): Item => ({ value: {}, bytes: null }))
    const parts = await partsOf(unsent)
    expect(parts.map((part) => part.length)).toEqual([1_000, 1_000, 500])
  })

  test('then nothing makes no body', async () => {
    expect(await partsOf([])).toEqual([])
  })
})

function partsOf(given: Item[]): Promise<Item[][]> {
  return Array.fromAsync(splitBySize(given, LIMIT))
}

function sizeOf(part: Item[]): number {
  return Buffer.byteLength(JSON.stringify(part.map(({ value: each }) => each)))
}
