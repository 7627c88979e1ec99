import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitsAlone, type Sized, splitBySize } from '../../../src/platform/resources/products.ts'

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
  // One in ten is not sent, and only keeps its place.
  .chain((sent) =>
    fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: sent.length, maxLength: sent.length })
      .map((dice) => sent.map((item, index): Item => (dice[index] === 0 ? { ...item, bytes: null } : item))),
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

  test('then there are as few bodies as there can be', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const sent = given.filter(({ bytes }) => bytes !== null)
        expect(await partsOf(sent)).toHaveLength(fewestParts(sent))
      }),
    )
  })
})

function partsOf(given: Item[]): Promise<Item[][]> {
  return Array.fromAsync(splitBySize(given, LIMIT))
}

function sizeOf(part: Item[]): number {
  return Buffer.byteLength(JSON.stringify(part.filter(({ bytes }) => bytes !== null).map(({ value: each }) => each)))
}

/** By trying every way to cut, not by the way of the code. */
function fewestParts(given: Item[]): number {
  const fewest = [0]
  for (let end = 1; end <= given.length; end++) {
    const ways = Array.from({ length: end }, (_, start) => start).filter(
      (start) => sizeOf(given.slice(start, end)) <= LIMIT,
    )
    fewest.push(1 + Math.min(...ways.map((start) => fewest[start] ?? Infinity)))
  }
  return fewest[given.length] ?? 0
}
