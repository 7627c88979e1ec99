import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  BrokenPayloadError,
  compressed,
  decompressPayload,
  type Payload,
  payloadsIn,
} from '../../../src/storage/payload.ts'

const payloads = fc
  .record({ headers: fc.dictionary(fc.string(), fc.string()), body: fc.uint8Array({ maxLength: 300 }) })
  .map(({ headers, body }) => ({ id: 1, headers: JSON.stringify(headers), body: Buffer.from(body) }))

/** Whatever it is, it gets smaller. */
const long = (one: Payload) => ({ ...one, body: Buffer.concat([one.body, Buffer.alloc(1_000, '"receiptNo":')]) })

test('When a payload is compressed, whatever it is, then it is read byte for byte, also from among other bytes', async () => {
  await fc.assert(
    fc.asyncProperty(payloads.map(long), async (plain) => {
      const row = await compressed(plain)
      if (row === null) throw new Error('It got no smaller.')

      expect(decompressPayload({ id: 1, headers: '', body: row.body, dictionary: row.dictionary })).toEqual(plain)
      const bytes = Buffer.concat([Buffer.from('before'), row.body, Buffer.from('behind')])
      const [said, ...more] = [...payloadsIn(bytes, 0, bytes.length)]
      expect(said?.subarray(said.indexOf(0) + 1)).toEqual(plain.body)
      expect(more).toEqual([])
    }),
    { numRuns: 40 },
  )
})

test('When a payload gets no smaller, then it stays as it is', async () => {
  expect(await compressed({ id: 1, headers: '{}', body: Buffer.from([7]) })).toBeNull()
})

test('When a byte of a payload is another one, or its end is missing, then it is refused, and never read as something else', async () => {
  await fc.assert(
    fc.asyncProperty(payloads.map(long), fc.nat(), fc.integer({ min: 1, max: 255 }), async (plain, place, by) => {
      const row = await compressed(plain)
      const body = Buffer.from(row?.body ?? [])
      const at = place % body.byteLength
      const broken = Buffer.from(body)
      broken[at] = (broken[at] ?? 0) ^ by
      const read = (bytes: Buffer) => decompressPayload({ id: 1, headers: '', body: bytes, dictionary: 1 })

      // Some bits of a frame mean nothing.
      try {
        expect(read(broken)).toEqual(plain)
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenPayloadError)
      }
      expect(() => read(body.subarray(0, at))).toThrow(BrokenPayloadError)
      expect(() => decompressPayload({ id: 1, headers: '', body, dictionary: 99 })).toThrow('knows no dictionary 99')
    }),
    { numRuns: 40 },
  )
})
