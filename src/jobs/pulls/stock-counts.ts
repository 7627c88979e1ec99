import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { isDay } from '../../domain/values/instant.ts'
import { counted } from '../../domain/values/text.ts'
import { countEntity } from '../../payloads/kinds.ts'
import type { Count, CountBatch } from '../../platform/areas/stock/stock.ts'
import { joined, type Listed, type Unreadable } from '../../platform/http/read.ts'
import { sentId } from '../../platform/http/written.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { asideNote, beginOf, inTurn, type LookBack, throwIfFailed, todaysOf } from './days.ts'
import { type Handover, wireNumber } from './handover.ts'

interface Options {
  platform: Pick<Platform, 'counts'>
  store: Pick<Store, 'stores' | 'events'>
  handover: Pick<Handover, 'take'>
  back: LookBack
  schedule?: string
}

const KIND = 'StockCountReconciled'

const DAY = 86_400_000

const State = z.object({
  /** The first day: counts of before are left to the past. */
  begin: z.iso.date(),
  /** Counts that the hub had not heard of in the last run: their webhooks may have been on their way. */
  waiting: z.array(z.string()),
  told: z.array(z.string()),
})

/** Counts of a page, and so many pages at most: what is older was looked at before. */
const SIZE = 100
const PAGES = 20

/** The most counts that are remembered; older ones are found by their event. */
const REMEMBERED = 2_000

/**
 * Looks for counts of stocks whose webhooks got lost (public facts, Stock/count/batches), and tells of each as the platform would
 * have. One that is new in the list waits for the next run: its webhook may be on its way.
 */
export function stockCountsJob({
  platform,
  store,
  handover,
  back,
  schedule = JOBS['stock-counts'].schedule,
}: Options): HubJob {
  return {
    name: 'stock-counts',
    schedule,
    async run({ now, signal, state: left, save }) {
      const before = State.safeParse(left).data ?? null
      const { last } = todaysOf(await store.stores(), now)
      const begin = beginOf(before?.begin ?? null, last, back)
      const told = new Set(before?.told ?? [])
      const waited = new Set(before?.waiting ?? [])
      const waiting: string[] = []
      const counts = { seen: 0, news: 0 }
      const { rows: listed, aside, isCut } = await reconciled(begin, signal)
      const unknown: CountBatch[] = []
      for (const batch of listed) {
        counts.seen += 1
        if (told.has(batch.countId)) continue
        if (await isKnown(batch, begin, last)) told.add(batch.countId)
        else if (waited.has(batch.countId)) unknown.push(batch)
        else waiting.push(batch.countId)
      }
      const quarantined: Unreadable[] = []
      const failed = await inTurn(unknown, signal, async ({ countId }) => {
        const count = await platform.counts.read(countId, signal)
        const taken = count === null ? null : await handover.take(KIND, [payloadOf(count)])
        counts.news += taken?.news ?? 0
        quarantined.push(...(taken?.aside ?? []))
        if (taken?.aside.length) waiting.push(countId)
        else told.add(countId)
        await save(kept())
      })
      // Counts that could not be read are asked for again at once the next time.
      for (const { item } of failed) waiting.push(item.countId)
      const note = `${counted(counts.seen, 'count')}: ${counts.news} with news, ${waiting.length} waiting${asideNote(aside.length + quarantined.length)}${isCut ? `; the list goes on behind ${PAGES} pages, which are not looked at` : ''}`
      await save(kept())
      throwIfFailed(failed, ({ countId }) => `count ${countId}`, note)
      return { state: kept(), note }

      function kept() {
        return { begin, waiting, told: [...told].slice(-REMEMBERED) }
      }
    },
  }

  /**
   * The newest first is presumed only: a page that has nothing new is the last, and one that is all older than the beginning, unless its
   * counts get younger. A short one need not be: the platform may have smaller pages than it was asked for. What is aside is read again
   * with all the others, in the next run.
   */
  async function reconciled(begin: string, signal: AbortSignal): Promise<Listed<CountBatch> & { isCut: boolean }> {
    const found = new Map<string, CountBatch>()
    let aside: Unreadable[] = []
    let isCut = true
    for (let number = 1; isCut && number <= PAGES; number++) {
      const page = await platform.counts.list({ number, size: SIZE }, signal)
      const before = found.size + aside.length
      for (const batch of page.rows) found.set(batch.countId, batch)
      aside = joined(aside, page.aside)
      const days = page.rows.map(dayOf)
      const isOld = days.length > 0 && days.every((day) => day < begin) && !getsYounger(days)
      isCut = found.size + aside.length > before && !isOld
    }
    const rows = [...found.values()].filter(
      (batch) => batch.isReconciled !== false && !batch.isDeleted && dayOf(batch) >= begin,
    )
    return { rows, aside, isCut }
  }

  /** The event of a count came when it was counted, or later: what is older need not be looked through. */
  async function isKnown(batch: CountBatch, begin: string, last: string): Promise<boolean> {
    const day = dayOf(batch)
    const since = Date.parse(day > last ? begin : day) - DAY
    return (await store.events({ kind: KIND, entity: countEntity(batch.countId), since, limit: 1 })).length > 0
  }
}

function getsYounger(days: readonly string[]): boolean {
  return (days.at(0) ?? '') < (days.at(-1) ?? '')
}

/** The day on which it was counted, or written down; one that does not say, or not as a day, is looked at. */
function dayOf({ countedAt, insertedAt }: CountBatch): string {
  const written = (countedAt ?? insertedAt ?? '').slice(0, 10)
  return isDay(written) ? written : '9999-12-31'
}

/** In the form of what is pushed, as far as that is known; which movements it made, the list does not say. */
function payloadOf({ countId, name, stockId, stockExtId, countedAt, insertedAt, lines }: Count) {
  return {
    stockCountId: sentId(countId, 'stockCountId'),
    stockId: stockId === null ? null : sentId(stockId, 'stockId'),
    stockExtId,
    description: name,
    countedDateTime: countedAt ?? insertedAt,
    createdDateTime: insertedAt ?? countedAt,
    items: lines.flatMap(({ gtin, externalSku, quantity, isValid }) =>
      quantity === null || isValid === false
        ? []
        : { gtin: gtin ?? '', sku: externalSku ?? '', quantity: wireNumber(quantity) },
    ),
    stockMovements: [],
  }
}
