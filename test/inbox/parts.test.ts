import { describe, expect, test } from 'vitest'
import type { StockDifference } from '../../src/domain/catalogue/finding.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { writerMisfits } from '../../src/hub/setup.ts'
import { createInbox } from '../../src/inbox/accept.ts'
import { createCorrections } from '../../src/inbox/corrections.ts'
import { createProofs, createReader, createReading } from '../../src/inbox/reading.ts'
import type { Arrival, Verdict } from '../../src/store/arrival.ts'
import { sale } from '../fixtures/payloads.ts'
import { pulled } from './inbox-of.ts'
import { JOURNAL } from './kept-events.ts'

describe('the way in', () => {
  const taken = (given: Partial<Extract<Verdict, { status: 'duplicate' }>> = {}): Verdict[] => [
    { status: 'duplicate', id: 7, completed: false, otherBytes: true, submission: null, ...given },
  ]

  function inbox(answers: Verdict[][]) {
    const commits: Arrival[][] = []
    const looked: number[] = []
    const read = createReading({ route: () => [] })
    const made = createInbox(
      {
        accept: async (arrivals) => {
          commits.push(arrivals)
          return answers.shift() ?? []
        },
        event: async (id) => {
          looked.push(id)
          return { id, body: Buffer.from('{"receiptNo":"1001"}'), bodyHash: 'first' } as never
        },
      },
      createReader(read),
    )
    return { ...made, commits, looked, read }
  }

  test('When a copy may say more than the first, then they are compared, and it is committed once more', async () => {
    const done = taken({ completed: true })
    const { accept, commits, looked } = inbox([taken({ comparable: true }), done])
    expect(await accept(pulled('SaleCreated', sale(), { origin: 'platform' }))).toBe(done[0])
    expect(looked).toEqual([7])
    expect(commits[1]).toMatchObject([{ completes: { event: 7, bodyHash: 'first' } }])
  })

  test('When a copy says no more, or it is none, then it is committed once, and nothing is read', async () => {
    const accepted: Verdict = { status: 'accepted', id: 8, unrouted: false, submission: null, sameKeyAs: null }
    for (const verdict of [taken()[0] as Verdict, accepted]) {
      const { accept, looked, commits } = inbox([[verdict]])
      expect(await accept(pulled('SaleCreated', sale(), { origin: 'platform' }))).toBe(verdict)
      expect([looked, commits.length]).toEqual([[], 1])
    }
  })

  test('When the hub says something itself, then it is taken as its own word, with nothing of a request', async () => {
    const { announce, commits } = inbox([taken()])
    const level = { stockId: '12', gtin: '590', sku: null, level: '4', readAt: 1 }
    await announce('StockLevelRead', 'platform', level, 9)
    expect(commits[0]).toMatchObject([
      {
        kind: 'StockLevelRead',
        origin: 'platform',
        subscription: null,
        headers: {},
        transportKey: null,
        receivedAt: 9,
      },
    ])
    expect(commits[0]).toMatchObject([{ problem: null, body: Buffer.from(JSON.stringify(level)) }])
  })

  test('When something is refused for its size, then a trace is kept, with why and without its body', async () => {
    const { refuse, commits } = inbox([[{ status: 'quarantined', id: 3 }]])
    const { body: _, unreadable: __, ...came } = pulled('SaleCreated', {}, { transportKey: 'K', headers: { a: 'b' } })
    expect(await refuse(came, 'too large')).toEqual({ status: 'quarantined', id: 3 })
    expect(commits[0]).toEqual([
      {
        ...came,
        body: new Uint8Array(),
        bodyHash: '',
        refused: true,
        identity: null,
        versioned: false,
        exact: false,
        entity: null,
        facts: null,
        deliveries: [],
        problem: 'too large',
      },
    ])
  })
})

describe('stock that is put right', () => {
  const difference: StockDifference = {
    run: '2026-11-20',
    of: { stockId: '12' },
    gtin: '590',
    sku: 'TEE',
    right: parseDecimal('4'),
    found: parseDecimal('3'),
    cause: 'unknown',
    detail: null,
    readAt: 5,
    state: 'proposed',
    approved: null,
  }
  const approved = { by: 'kari', reason: null }

  async function corrected(differences: StockDifference[], stock: object | null = { gtin: '590', version: 1 }) {
    const said: unknown[] = []
    const correct = createCorrections({
      store: { saveFindings: async (findings) => void said.push(findings), now: () => 9 },
      inbox: { announce: async (...given) => void said.push(given) },
      stockOf: async () => stock as never,
    })
    await correct(differences, approved)
    return said
  }

  const noted = (says: StockDifference) => [
    { type: 'keep', finding: { sort: 'stock-difference', says: { ...says, state: 'corrected', approved } } },
  ]

  test('When the mirror differs, then it takes the level that was read, and it is noted who approved it', async () => {
    const level = { stockId: '12', gtin: '590', sku: 'TEE', level: difference.right, readAt: 5 }
    expect(await corrected([difference])).toEqual([['StockLevelRead', 'platform', level, 9], noted(difference)])
  })

  test('When a shop differs, then its place is told what there is now; one that never had the article is told nothing', async () => {
    const shop: StockDifference = { ...difference, of: { destination: 'shop', location: 'web' } }
    expect(await corrected([shop])).toEqual([
      ['StockChanged', 'mirror', { gtin: '590', version: 1, again: 'web' }, 9],
      noted(shop),
    ])
    expect(await corrected([shop], null)).toEqual([noted(shop)])
  })
})

describe('what an event proves', () => {
  const event = { kind: 'SaleCreated', origin: 'platform', identity: null, entity: null, payload: {}, receivedAt: 0 }
  const flow = (given: Partial<Flow>): Flow => ({ ...JOURNAL, plan: () => [], ...given })

  test('When flows of its kind understand it and plan nothing, then there is nothing to do', () => {
    const proofs = createProofs([flow({ proves: () => ['paid'] }), flow({ proves: () => ['sent'] }), flow({})])
    expect(proofs(event)).toEqual({ facts: ['paid', 'sent'], quiet: true })
    expect(proofs({ ...event, kind: 'CustomerUpdated' })).toEqual({ facts: [], quiet: false })
  })

  test('When a flow plans something, or none understands it, then it is not quiet', () => {
    const busy = flow({ plan: () => [{ part: '', entity: null }] })
    expect(createProofs([flow({ proves: () => ['paid'] }), busy])(event)).toEqual({ facts: ['paid'], quiet: false })
    expect(createProofs([flow({})])(event)).toEqual({ facts: [], quiet: false })
    // A flow of all kinds hands events on: it understands none.
    const all = flow({ kinds: 'all', proves: () => ['x'] })
    expect(createProofs([all])(event)).toEqual({ facts: [], quiet: false })
  })
})

test('When a destination is told the levels of a stock that it writes itself, then that is named, with what to write', () => {
  const channel = (...stocks: string[]) => ({ stocks, safetyStock: parseDecimal('0') })
  const destinations = [
    { name: 'erp', channels: { web: channel('12', '13'), store: channel('14') } },
    { name: 'shop', channels: { web: channel('12') } },
  ]
  expect(writerMisfits({ 12: 'erp', 14: 'other' }, destinations)).toEqual([
    {
      path: ['platform', 'stockWriters', '12'],
      found: 'a second writer of stock 12: erp is told its levels as well (web)',
      expected: 'one writer: take the stock out here, or out of destinations.erp',
    },
  ])
  expect(writerMisfits({}, destinations)).toEqual([])
})
