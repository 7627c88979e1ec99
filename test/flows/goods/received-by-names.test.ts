import { describe, expect, test } from 'vitest'
import type { Link } from '../../../src/domain/orders/link.ts'
import { bookReceived } from '../../../src/flows/back-office.ts'

const [TEE, HOOD, CAP] = ['7090012340011', '7090012340028', '7090012340035']

const PAYLOAD = {
  orderId: 'D1',
  stockId: '12',
  createdDateTime: '2026-11-20T10:00:00',
  products: [
    { gtin: TEE, identifier: 'box 7', quantityExpected: 3, quantityReceived: 2 },
    { gtin: HOOD, identifier: 'box 7', quantityExpected: 1, quantityReceived: 1 },
    { gtin: HOOD, identifier: 'box 9', quantityExpected: 0, quantityReceived: 0 },
    { gtin: CAP, quantityExpected: 4, quantityReceived: 4 },
  ],
}

/** What the guard finds of a line: how much an office was told of it, and what is kept with a success. */
async function appliedOf(part: string, links: readonly Link[] = []) {
  const event = { kind: 'DeliveryItemsReceived', body: Buffer.from(JSON.stringify(PAYLOAD)) }
  const sources = {
    links: async (_: string, kind: string, ids: readonly string[]) =>
      links.filter((link) => link.kind === kind && ids.includes(link.id)),
    effectsOf: async () => [],
  }
  const step = { event, part, delivery: { destination: 'office' } }
  const verdict = await bookReceived.guards?.[0]?.check?.(step as never, sources as never, new AbortController().signal)
  return verdict && 'known' in verdict ? { reported: verdict.known.reported, kept: verdict.kept } : null
}

const link = (kind: string, id: string, theirId: string): Link => {
  return { destination: 'office', kind, id, theirId, isLevel: true }
}

describe('When a delivery is booked by its articles, after what came in a box was booked by the name of the box', () => {
  const ofBox = (level: string) => [link('received-as', 'D1/box 7', 'box 7'), link('received', 'D1/box 7', level)]
  const reportedOf = async (part: string, level: string) => (await appliedOf(part, ofBox(level)))?.reported

  test('then what was told of the box counts for its articles, as far as the others of the box cannot be meant', async () => {
    expect([await reportedOf(TEE, '1'), await reportedOf(HOOD, '1')]).toEqual(['0', '0'])
    expect([await reportedOf(TEE, '2'), await reportedOf(HOOD, '2')]).toEqual(['1', '0'])
    expect([await reportedOf(TEE, '3'), await reportedOf(HOOD, '3')]).toEqual(['2', '1'])
  })

  test('and an article that came in no box is told in full, and no name of a box is kept of it', async () => {
    expect(await appliedOf(CAP, ofBox('3'))).toEqual({
      reported: '0',
      kept: [link('received', `D1/${CAP}`, '4')],
    })
  })

  test('and each article of a box is kept by the name of the box, so that the next delivery finds it', async () => {
    expect((await appliedOf(TEE))?.kept).toEqual([
      link('received', `D1/${TEE}`, '2'),
      link('received-as', 'D1/box 7', TEE),
    ])
  })
})
