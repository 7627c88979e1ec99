import fc from 'fast-check'
import type { ClaimLimits } from '../../../../src/storage/claim.ts'

/** What may happen to a queue. `nth` picks one of those that it can happen to, in turn; none: nothing happens. */
export type Step =
  | ({ do: 'accept'; event: number | null; receivedAgo: number } & NewRow)
  | { do: 'ask' | 'read' | 'arrive' | 'load'; most: number }
  | ({ do: 'take' } & ClaimLimits)
  | { do: 'end'; nth: number; as: 'delivered' | 'retry' | 'held' | 'dead'; in: number }
  | { do: 'give back' | 'drop' | 'supersede'; nth: number }
  | {
      do: 'command'
      nth: number
      what: 'retry' | 'release' | 'skip' | 'move out' | 'move in'
      isOut: boolean
      yields: boolean
    }
  | { do: 'tell'; nth: number }
  | { do: 'refresh'; nth: number; size: number }
  | { do: 'reset' }
  | { do: 'pass'; ms: number }

interface NewRow {
  entity: string | null
  flow: string
  batch: string | null
  effect: string | null
  /** From now. */
  notBefore: number | null
  yields: boolean
  size: number
  isElsewhere: boolean
  /** By another hub, which tells of it later. */
  isForeign: boolean
}

const nth = fc.nat(99)
const Size = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(1, 1_000))
const HOUR = 3_600_000

const Accept = fc.record({
  do: fc.constant('accept' as const),
  event: fc.option(nth, { freq: 3 }),
  receivedAgo: fc.constantFrom(0, 0, 0, 5_000),
  entity: fc.constantFrom('a', 'a', 'a', 'b', 'c', null),
  flow: fc.constantFrom('publish', 'publish', 'book'),
  batch: fc.constantFrom(null, null, 'lines', 'levels'),
  effect: fc.constantFrom(null, null, 'paid/1'),
  notBefore: fc.constantFrom(null, null, null, null, -HOUR, 1, 900, 1_001, HOUR),
  yields: fc.constantFrom(false, false, true),
  size: Size,
  isElsewhere: fc.constantFrom(...Array<boolean>(9).fill(false), true),
  isForeign: fc.constantFrom(...Array<boolean>(4).fill(false), true),
})

const Loading = (what: 'ask' | 'read' | 'arrive' | 'load') =>
  fc.record({ do: fc.constant(what), most: fc.constantFrom(1, 2, 100, 100, 100) })

const Take = fc.record({
  do: fc.constant('take' as const),
  calls: fc.constantFrom(0, 1, 1, 2, 3, 100),
  yielding: fc.constantFrom(0, 1, 2, 100),
  ignorePriority: fc.constantFrom(false, false, false, true),
  bytes: fc.constantFrom(300, 1_000, 1_000_000),
  batch: fc.record({
    items: fc.constantFrom(1, 2, 3, 100),
    bytes: fc.constantFrom(300, 1_000, 1_000_000),
    linger: fc.constantFrom(0, 100, 100, 1_000),
  }),
})

const End = fc.record({
  do: fc.constant('end' as const),
  nth,
  as: fc.constantFrom('delivered', 'delivered', 'retry', 'retry', 'held', 'held', 'dead'),
  in: fc.constantFrom(0, 1, 500, 1_001, 5_000, 120_000, 12 * HOUR),
})

const OfOne = (what: 'give back' | 'drop' | 'supersede') => fc.record({ do: fc.constant(what), nth })

const Command = fc.record({
  do: fc.constant('command' as const),
  nth,
  what: fc.constantFrom('retry', 'retry', 'release', 'skip', 'move out', 'move in'),
  /** Only one that is out. */
  isOut: fc.boolean(),
  yields: fc.boolean(),
})

const Refresh = fc.record({ do: fc.constant('refresh' as const), nth, size: Size })

/** Within the skew of clocks, and beyond it. */
const Pass = fc.record({
  do: fc.constant('pass' as const),
  ms: fc.constantFrom(
    0,
    1,
    1,
    100,
    100,
    500,
    999,
    1_000,
    1_001,
    5_000,
    61_000,
    HOUR,
    -1,
    -1_000,
    -59_000,
    -61_000,
    -2 * HOUR,
  ),
})

export const Steps = (most: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 24, arbitrary: Accept },
      { weight: 10, arbitrary: Loading('load') },
      { weight: 2, arbitrary: Loading('ask') },
      { weight: 2, arbitrary: Loading('read') },
      { weight: 2, arbitrary: Loading('arrive') },
      { weight: 18, arbitrary: Take },
      { weight: 18, arbitrary: End },
      { weight: 6, arbitrary: OfOne('give back') },
      { weight: 1, arbitrary: OfOne('drop') },
      { weight: 4, arbitrary: OfOne('supersede') },
      { weight: 7, arbitrary: Command },
      { weight: 5, arbitrary: fc.record({ do: fc.constant('tell' as const), nth }) },
      { weight: 2, arbitrary: Refresh },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const) }) },
      { weight: 12, arbitrary: Pass },
    ),
    { maxLength: most, size: 'max' },
  )

/** Small ones, so that the file soon holds more. */
export const AnyWindow = fc.record({
  items: fc.constantFrom(1, 1, 2, 4, 100),
  bytes: fc.constantFrom(300, 2_000, 1_000_000),
})
