import { differenceOf, shown } from '../../../domain/ledger/destination/difference.ts'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { type GapChange, gapKey, type KeptGap, type SeenGap } from '../../../domain/ledger/gap.ts'
import type { Twins } from '../../../ports/tally.ts'
import type { GivenRow } from '../../../store/reading/given-row.ts'
import type { Reread } from './reread.ts'

/** Differences of one destination that are named in a run: where it has lost everything, that is one trouble, not a million. */
const MOST = 1_000

const TWINS = 'twins/'

/** The gaps of one destination, as its answers come in. `open`: those that are known. */
export function createDifferences(destination: string, open: readonly KeptGap[]) {
  const known = new Map(open.map((gap) => [gap.key, gap]))
  let changes: GapChange[] = []
  let count = 0

  function see(gap: SeenGap): void {
    count += 1
    if (count <= MOST || known.has(gapKey(gap))) changes.push({ type: 'see', gap })
  }

  return {
    /** One thing that was asked for, and the answer. `key`: the first of its attempts. */
    judge(row: GivenRow, key: string, { amount, day, storeId }: Reread, tallied: Tallied): void {
      const { id: event, kind, receivedAt: at } = row.event
      const where = { road: 'destination', destination, kind, subject: key } as const
      const difference = differenceOf(amount, tallied)
      if (difference !== null) {
        const { cause, there } = difference
        const given = amount === null ? 'it' : shown(amount)
        const facts = { delivery: row.id, event, flow: row.flow, acknowledgedAt: row.settledAt, given, there }
        see({ ...where, cause, storeId, day, at, evidence: { destination: facts } })
      } else if (tallied.is === 'there' && known.has(gapKey(where)))
        changes.push({ type: 'mend', key: gapKey(where), reason: 'the destination has it' })
    },

    /** Facts that are there several times; those of before that are not any more are mended. `since`: the first day that was looked at. */
    judgeTwins(found: readonly Twins[], since: string): void {
      const seen = found.map(({ method, key, count: rows, day }): SeenGap => {
        const where = { road: 'destination', destination, kind: null, subject: `${TWINS}${method}/${key}` } as const
        const evidence = { destination: { record: method, rows, day } }
        return { ...where, cause: 'there-twice', storeId: null, day, at: Date.parse(day), evidence }
      })
      for (const gap of seen) see(gap)
      const keys = new Set(seen.map(gapKey))
      for (const gap of known.values())
        if (gap.subject.startsWith(TWINS) && !keys.has(gap.key) && (gap.day ?? '') >= since)
          changes.push({ type: 'mend', key: gap.key, reason: 'it is there once' })
    },

    /** Differences that are not kept yet. */
    take(): GapChange[] {
      const taken = changes
      changes = []
      return taken
    },

    /** How many there are in all, and how many of them are not named. */
    counts: () => ({ found: count, unnamed: Math.max(0, count - MOST) }),
  }
}
