import type { Range } from '../../domain/ledger/covered.ts'
import { isStillKept } from '../../domain/ledger/horizon.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import type { OwnSubscription } from '../subscriptions/known.ts'
import type { createLogAsking } from './ask-log.ts'
import type { Swept } from './ledger-state.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Events read at once. */
const PAGE = 500

/** As far ahead as the clocks of most shops are, until it is learned (milliseconds). */
const USUALLY_AHEAD = 2 * HOUR

/** How far back the log is asked for an event that came: it may have been sent again days later. */
const FARTHEST = 7 * DAY

interface Tools {
  store: Pick<Store, 'events'>
  /** Whether what came by a name of the hub's is of this subscription: what other ones brought is not in its log. */
  isOf(name: string | null): boolean
  /** The ids that the log has shown of this time. */
  shown: Pick<ReadonlySet<string>, 'has'>
  /** How far ahead of the hub's clock the log writes (milliseconds). */
  ahead: number
  /** The ids of the log's records of another time; null: there may be others. */
  idsIn(range: Range): Promise<string[] | null>
}

/** Events that came, by their keys, and that the log does not show, whenever they may have arisen; null: it does not tell. */
export async function unknownToLog(
  ours: OwnSubscription,
  came: Range,
  { store, isOf, shown, ahead, idsIn }: Tools,
): Promise<ReadonlySet<string> | null> {
  // A hundred thousand where another hub's events are not in this log.
  const suspects = new Set<string>()
  for await (const { transportKey, subscription } of eventsOf(ours, came, store)) {
    if (!isOf(subscription)) continue
    if (transportKey !== null && !shown.has(transportKey)) suspects.add(transportKey)
  }
  for (const range of arisenIn(came, ahead)) {
    if (suspects.size === 0) break
    const ids = await idsIn(range)
    if (ids === null) return null
    for (const id of ids) suspects.delete(id)
  }
  return suspects
}

/** So many events that came one after the other are no forgeries any more: the log does not tell of that time. */
const IN_A_ROW = 10

/** Events that came one after the other, from the first to the last, of which the log shows none. */
export interface Unshown extends Range {
  count: number
}

const NONE: Unshown = { from: 0, to: 0, count: 0 }

/**
 * Rows of events of which the log shows none, whenever they may have arisen: it was down for a while, or another subscription brought
 * them. It is asked for more only where what it has shown lacks so many.
 */
export async function unshownInARow(ours: OwnSubscription, came: Range, tools: Tools): Promise<Unshown[]> {
  const { store, isOf, shown } = tools
  const rowsOf = async (isShown: (key: string) => boolean) => {
    const rows: Unshown[] = []
    let row = NONE
    for await (const { transportKey, subscription, receivedAt } of eventsOf(ours, came, store)) {
      if (transportKey === null || !isOf(subscription)) continue
      row = isShown(transportKey)
        ? NONE
        : { from: row.count === 0 ? receivedAt : row.from, to: receivedAt, count: row.count + 1 }
      if (row.count > IN_A_ROW) rows.pop()
      if (row.count >= IN_A_ROW) rows.push(row)
    }
    return rows
  }
  if ((await rowsOf((key) => shown.has(key))).length === 0) return []
  const unknown = await unknownToLog(ours, came, tools)
  return unknown === null ? [] : await rowsOf((key) => !unknown.has(key))
}

/** Where the log may have what came: its clock may be ahead, it arose a moment before it came, or it was sent again. */
function arisenIn({ from, to }: Range, ahead: number): Range[] {
  const ranges = [
    { from: to, to: to + Math.max(ahead, USUALLY_AHEAD) + HOUR },
    { from: from - HOUR, to: from },
  ]
  for (let end = to; end > to - FARTHEST; end -= DAY) ranges.push({ from: end - DAY, to: end })
  return ranges
}

async function* eventsOf({ kind }: OwnSubscription, { from, to }: Range, store: Pick<Store, 'events'>) {
  for (let after = 0; ; ) {
    const page = await store.events({ kind, since: from, until: to, after, limit: PAGE })
    yield* page.filter(({ origin }) => origin === PLATFORM)
    after = page.at(-1)?.id ?? after
    if (page.length < PAGE) return
  }
}

/** So many events that came are no forgeries any more: the log does not tell of that time. */
const SEVERAL = 3

interface Asked {
  log: Pick<ReturnType<typeof createLogAsking>, 'shows'>
  /** The newest record of what was looked through before. */
  marker: Swept['marker']
  /** Up to there it was looked through. */
  until: Instant
  now: Instant
  /** How many events came in a stretch of time that the log does not show anywhere; null: it does not tell. */
  unknownIn(range: Range): Promise<number | null>
}

/**
 * Judges answers of a log that hold nothing. A log that is down, or that is written hours late, answers so too, with 200: so it is to
 * show what it has shown before, and some of what came then.
 */
export function createEmptyAnswers({ log, marker, until, now, unknownIn }: Asked) {
  let isSeen: Promise<boolean> | undefined

  return {
    /** Why a log that shows nothing at all is not believed; null: it is, or was quiet for longer than it is known to reach back. */
    async whyMute(): Promise<string | null> {
      if (marker === null || !isStillKept(marker.at, until, now)) return null
      isSeen ??= log.shows(marker)
      return (await isSeen) ? null : 'the log shows nothing, not even what it has shown before'
    },

    /** Why a window proves nothing of which the log shows none of the events that came then; null: it does. */
    async whyUnshown(window: Range): Promise<string | null> {
      const unknown = await unknownIn(window)
      return unknown !== null && unknown >= SEVERAL ? `the log shows none of ${unknown} events that came then` : null
    },
  }
}
