import { expect, test } from 'vitest'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import { flows } from '../../src/flows/index.ts'
import { createProofs, createReading } from '../../src/ingest/parse.ts'
import { createRoute } from '../../src/ingest/route.ts'
import { NAMED } from '../fixtures/named-payloads.ts'
import { pulled } from './inbox-of.ts'
import { booksTo } from './kept-events.ts'

/*
 * Whatever stands in one field of a payload, the event is taken: what a flow cannot read of it is for the attempt to say. A webhook that is
 * answered 500 is lost, since the platform sends none again by itself.
 */

/** Values that somebody may write into any field. The last ones are days that there are not, or the first and last of some systems. */
const ODD: readonly unknown[] = [
  ...[undefined, null, '', ' ', 'n/a', '1,5', '1e3', '-', true, -1, 0, 1.00005, 1e21, [], [null], [1], {}, { a: {} }],
  ...['0000-00-00T00:00:00', '0001-01-01T00:00:00', '2026-02-30T10:00:00', '9999-12-31T23:59:59.9999999', '\ud800'],
]

const ALL = booksTo('all', {
  abilities: flows.flatMap(({ port, method }) => [port, `${port}.${method}`]),
  publish: 'all',
  messages: ['ready', 'collected', 'declined', 'expired'],
  channels: { web: { stocks: ['12'], safetyStock: '0' as never } },
  daily: { flows: flows.map(({ name }) => name), closes: '03:00' },
})

const STORES = createStoreIndex([
  { storeId: '42', number: '101', stockId: '12', countryCode: 'NO', zone: 'Europe/Oslo' },
])

const read = createReading({ route: createRoute(flows, [ALL], () => STORES), proofs: createProofs(flows) })

test.each(NAMED.flatMap(({ kinds, payload }) => kinds.map((kind) => ({ kind, payload }))))(
  'When any one field of a $kind has an odd value, then the event is taken',
  ({ kind, payload }) => {
    const failed = new Map<string, string>()
    for (const path of pathsIn(payload))
      for (const odd of ODD)
        try {
          const other = structuredClone(payload)
          put(other, path, odd)
          const { problem } = read(pulled(kind, other, { origin: 'platform' }))
          if (problem?.startsWith('not acted on')) failed.set(`${path.join('.')} ${JSON.stringify(odd)}`, problem)
        } catch (error) {
          failed.set(`${path.join('.')} ${JSON.stringify(odd)}`, String(error))
        }
    expect(Object.fromEntries(failed)).toEqual({})
  },
)

/** The place of each value, of lists the first row's. */
function pathsIn(value: unknown): string[][] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((path) => [name, ...path])])
}

function put(value: unknown, path: readonly string[], odd: unknown): void {
  const [last = '', ...outer] = path.toReversed()
  const place = outer.toReversed().reduce((at, name) => (at as Record<string, unknown>)[name], value)
  ;(place as Record<string, unknown>)[last] = odd
}
