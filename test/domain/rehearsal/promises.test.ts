import { expect, test } from 'vitest'
import { judge } from '../../../src/domain/rehearsal/promises.ts'
import type { OwedThere, Performed, Played, Witnessed } from '../../../src/domain/rehearsal/witnessed.ts'

/* Each promise, kept and broken. Whoever judges must be able to say no. */

function played(given: Partial<Played> = {}): Played {
  return { event: 1, taken: 1, again: [], refused: 0, ...given }
}

function owed(given: Partial<OwedThere> = {}): OwedThere {
  const named = { key: 'k1', event: 1, destination: 'erp', urgency: 'bulk', entity: 'sale:1' } as const
  return { ...named, state: 'delivered', code: 'delivered', later: false, once: true, receivedAt: 0, ...given }
}

function performed(given: Partial<Performed> = {}): Performed {
  return { destination: 'erp', key: 'k1', call: 1, together: 1, at: 10, ms: 5, ...given }
}

function seen(given: Partial<Witnessed> = {}): Witnessed {
  return {
    played: [played()],
    answers: [3],
    events: new Map([[1, { certain: true }]]),
    owed: [owed()],
    performed: [performed()],
    destinations: [{ name: 'erp', concurrency: 4 }],
    ...given,
  }
}

const TWO = new Map([1, 2].map((id) => [id, { certain: true }]))

function brokenBy(given: Partial<Witnessed>): string[] {
  return judge(seen(given), 1_000)
    .filter(({ kept }) => !kept)
    .map(({ promise, says }) => `${promise}: ${says}`)
}

test('when all is as it should be, then every promise was kept', () => {
  expect(brokenBy({})).toEqual([])
})

test.each<[string, Partial<Witnessed>, string]>([
  [
    'a webhook is never taken',
    { played: [played(), played({ event: 2, taken: null, refused: 400 })] },
    '1 never taken',
  ],
  ['one is taken and gone', { played: [played(), played({ event: 2, taken: 2 })] }, '1 taken and not in the store'],
  [
    'a copy is another event',
    { played: [played({ again: [2] })], events: TWO },
    'once: 1 copy sent; 1 taken as another event',
  ],
  ['the store has more than was answered', { events: TWO }, 'once: 0 copies sent; 1 taken as another event'],
  [
    'a delivery still waits',
    { owed: [owed(), owed({ key: 'k2', state: 'waiting', code: 'not-its-turn' })] },
    '1 still waiting (1 not-its-turn)',
  ],
  ['a once effect happens twice', { performed: [performed(), performed({ call: 2 })] }, '1 twice that must not be'],
  ['what is called delivered never happened', { performed: [] }, '1 called delivered and never made'],
  [
    'two of one thing come the other way round',
    {
      owed: [owed(), owed({ key: 'k2', event: 2 })],
      performed: [performed({ key: 'k2' }), performed()],
      events: TWO,
      played: [played(), played({ event: 2, taken: 2 })],
    },
    '1 out of order (sale:1 at erp)',
  ],
  ['answers are slow', { answers: [...Array(98).fill(1), 2_000, 2_000] }, 'p99 2000 ms'],
])('when %s, then that promise is broken, and no other', (_, given, says) => {
  const broken = brokenBy(given)

  expect(broken).toHaveLength(1)
  expect(broken[0]).toContain(says)
})

test.each<[string, Partial<Witnessed>]>([
  [
    'a repeatable effect is repeated after a kill',
    { owed: [owed({ once: false })], performed: [performed(), performed({ call: 2 })] },
  ],
  ['a step waits for its day to close', { owed: [owed(), owed({ key: 'k2', state: 'waiting', later: true })] }],
  ['a step is held for a person', { owed: [owed(), owed({ key: 'k2', state: 'held', code: 'unread' })] }],
  ['the same thing goes to two destinations', { owed: [owed(), owed({ destination: 'bus' })] }],
  [
    'two things pass each other',
    {
      owed: [owed(), owed({ key: 'k2', event: 2, entity: 'sale:2' })],
      performed: [performed({ key: 'k2' }), performed()],
      events: TWO,
      played: [played(), played({ event: 2, taken: 2 })],
    },
  ],
  [
    'a version of an order that no header names comes again, late',
    {
      played: [played({ again: [2] })],
      events: new Map([
        [1, { certain: false }],
        [2, { certain: false }],
      ]),
    },
  ],
  ['one of a hundred answers is slow', { answers: [...Array(99).fill(1), 2_000] }],
])('when %s, then no promise is broken', (_, given) => {
  expect(brokenBy(given)).toEqual([])
})

test('when steps wait for a person, then they are counted with why', () => {
  const [, , delivered] = judge(seen({ owed: [owed(), owed({ key: 'k2', state: 'held', code: 'unread' })] }), 1_000)

  expect(delivered?.says).toBe('1 of 2 deliveries made, or overtaken; 0 still waiting; 1 for a person (1 unread)')
})
