import { afterEach, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import { type SearchIndex, startSearchIndex } from '../../src/ingest/search-index.ts'
import { createLogger } from '../../src/lib/logger.ts'
import type { EventKey, Unindexed } from '../../src/storage/arrival.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'

const opened: SearchIndex[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

/** An index over events that a store holds one page a time: each page is one event. */
function given(events: Unindexed[]) {
  const clock = createTestClock()
  const lines: string[] = []
  const written: { last: number; keys: readonly EventKey[] }[] = []
  const state = { problem: null as Error | null, asked: 0, room: {} }
  const coming = { next: () => {} }
  const index = startSearchIndex({
    storage: {
      async unindexed(room) {
        state.asked++
        state.room = room
        if (state.problem) throw state.problem
        return events.slice(written.length, written.length + 1)
      },
      async indexKeys(last, keys) {
        written.push({ last, keys })
        coming.next()
      },
      async searchReach() {
        return { upTo: written.at(-1)?.last ?? 0, until: null, behind: events.length - written.length }
      },
    },
    clock,
    logger: createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line).msg) }),
  })
  opened.push(index)
  return { clock, index, written, lines, state, coming }
}

function sale(id: number, receiptNo: string, given: Partial<Unindexed> = {}): Unindexed {
  return { id, kind: 'SaleCreated', transportKey: null, body: Buffer.from(JSON.stringify({ receiptNo })), ...given }
}

test('When somebody asks, then all that came is indexed first, each under its event', async () => {
  const { index, written } = given([sale(1, 'R-1'), sale(2, 'R-2'), sale(3, 'R-3', { transportKey: 'K-3' })])
  await index.catchUp(60_000)

  expect(written.map(({ last }) => last)).toEqual([1, 2, 3])
  for (const { last, keys } of written) {
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.every(({ event, sort, value }) => event === last && sort.length > 0 && value !== '')).toBe(true)
  }
  expect(written[2]?.keys).toContainEqual({ sort: 'id', value: expect.stringMatching(/k-3/i), event: 3 })
})

test('When it is indexed, then so much at a time that it is one commit, whoever asks, and each once', async () => {
  const { index, written, state } = given([sale(1, 'R-1'), sale(2, 'R-2')])
  await Promise.all([index.catchUp(60_000), index.catchUp(60_000)])

  expect(state.room).toEqual({ events: 200, bytes: 1_000_000 })
  expect(written.map(({ last }) => last)).toEqual([1, 2])
  // Both know how far it is to be, and look no further.
  expect(state.asked).toBe(2)
})

test('When somebody asks who has no time, then it waits for nothing', async () => {
  const { index, written, state } = given([sale(1, 'R-1')])
  await index.catchUp(0)

  expect([written, state.asked]).toEqual([[], 0])
})

test('When nobody asks, then all is indexed by and by, and what comes later, too', async () => {
  const events = [sale(1, 'R-1'), sale(2, 'R-2')]
  const { clock, written } = given(events)
  clock.advance(30_000)
  await eventually(() => {
    clock.advance(1_000)
    return written.length === 2
  })
  events.push(sale(3, 'R-3'))
  await eventually(() => {
    clock.advance(30_000)
    return written.length === 3
  })
})

test('When the store cannot tell, then it is asked again later: only what is odd is said', async () => {
  const { clock, written, lines, state } = given([sale(1, 'R-1')])
  state.problem = new StorageUnavailableError('locked')
  clock.advance(30_000)
  await eventually(() => state.asked === 1)
  state.problem = new Error('odd')
  await eventually(() => {
    clock.advance(30_000)
    return lines.length > 0
  })
  expect(new Set(lines)).toEqual(new Set(['search.not-indexed']))
  state.problem = null
  await eventually(() => {
    clock.advance(30_000)
    return written.length === 1
  })
})

test('When it ends, then nothing more is indexed, whoever asks', async () => {
  const { clock, index, written } = given([sale(1, 'R-1')])
  await index[Symbol.asyncDispose]()
  await index.catchUp(60_000)
  clock.advance(60_000)
  await new Promise(setImmediate)

  expect(written).toEqual([])
})

test('When levels and lines are told by the hub itself, or a body is no JSON, then nothing of them is indexed', async () => {
  const { index, written } = given([
    sale(1, 'R-1', { kind: 'StockChanged' }),
    sale(2, 'R-2', { kind: 'StockLevelRead' }),
    sale(3, 'R-3', { kind: 'SalesLinesRead' }),
    sale(4, 'R-4', { body: Buffer.from('receipt R-4') }),
    sale(5, 'R-5', { body: null }),
  ])
  await index.catchUp(60_000)

  expect(written).toEqual([1, 2, 3, 4, 5].map((last) => ({ last, keys: [] })))
})

test('When events come all the time, then whoever asks waits for those alone that had come', async () => {
  const events = [sale(1, 'R-1'), sale(2, 'R-2')]
  const { index, written, coming } = given(events)
  coming.next = () => events.push(sale(events.length + 1, 'R-9'))

  expect(await index.catchUp(60_000)).toBe(true)
  expect(written.map(({ last }) => last)).toEqual([1, 2])
})
