import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenBlockError, packBlock, unpackBlock, unpackBlockSync } from '../../../src/storage/payloads/block.ts'
import { BLOCK, type PlainRow, planBlocks } from '../../../src/storage/read-models/payloads.ts'

const aPayload = fc.record({
  step: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  headers: fc.dictionary(fc.string(), fc.string()),
  body: fc.uint8Array({ maxLength: 300 }),
})

const payloads = fc.array(aPayload, { minLength: 1, maxLength: 40 }).map((all) => {
  let id = 0
  return all.map(({ step, headers, body }) => {
    id += step
    return { id, headers: JSON.stringify(headers), body: Buffer.from(body) }
  })
})

test('When payloads are packed, whatever they are, then the block has each of them byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(payloads, async (all) => {
      const { body } = await packBlock(all)

      expect([...unpackBlockSync(body).values()]).toEqual(all)
      expect([...(await unpackBlock(body)).keys()]).toEqual(all.map(({ id }) => id))
    }),
    { numRuns: 40 },
  )
})

test('When a byte of a block is another one, or its end is missing, then it is refused, and never read as something else', async () => {
  await fc.assert(
    fc.asyncProperty(payloads, fc.nat(), fc.integer({ min: 1, max: 255 }), async (all, place, by) => {
      const { body } = await packBlock(all)
      const broken = Buffer.from(body)
      const at = place % broken.byteLength
      broken[at] = (broken[at] ?? 0) ^ by

      const read = await unpackBlock(broken).then(
        (unpacked) => [...unpacked.values()],
        (error: unknown) => error,
      )
      // Some bits of a frame mean nothing.
      if (!(read instanceof BrokenBlockError)) expect(read).toEqual(all)
      await expect(unpackBlock(body.subarray(0, at))).rejects.toThrow(BrokenBlockError)
      expect(() => unpackBlockSync(body.subarray(0, at))).toThrow(BrokenBlockError)
    }),
    { numRuns: 40 },
  )
})

test('When rows are to be packed, then blocks have one kind each and are no larger than they may be, and what is few waits', () => {
  const aRow = fc.record({
    kind: fc.constantFrom('A', 'B'),
    receivedAt: fc.constantFrom(0, 99_000_000),
    size: fc.integer({ min: 0, max: BLOCK.bytes }),
  })
  fc.assert(
    fc.property(fc.array(aRow, { maxLength: 600 }), (given) => {
      const rows: PlainRow[] = given.map((row, nth) => ({ ...row, id: nth + 1 }))
      const blocks = planBlocks(rows, true, 100_000_000)

      const packed = new Set(blocks.flatMap(({ ids }) => ids))
      expect(packed.size).toBe(blocks.flatMap(({ ids }) => ids).length)
      for (const { kind, ids } of blocks) {
        const those = ids.map((id) => rows[id - 1])
        expect(those.every((row) => row?.kind === kind)).toBe(true)
        expect(ids.length).toBeLessThanOrEqual(BLOCK.payloads)
        const size = those.reduce((sum, row) => sum + (row?.size ?? 0), 0)
        expect(ids.length === 1 || size <= BLOCK.bytes).toBe(true)
      }
      expect(planBlocks(rows, false, 100_000_000).length > 0).toBe(rows.length > 0)
    }),
  )
})
