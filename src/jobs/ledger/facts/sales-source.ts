import type { SearchIndex } from '../../../inbox/search-index.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import type { OperationName } from '../../../platform/http/endpoints.ts'
import type { Unreadable } from '../../../platform/http/listed.ts'
import { asideText } from '../../../platform/http/listed.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeptStore } from '../../../store/kept.ts'
import type { Store } from '../../../store/store.ts'
import type { Places } from './places.ts'
import type { Subscribed } from './subscribed.ts'

export interface SalesOptions {
  platform: Pick<Platform, 'salesLines'>
  store: Pick<Store, 'known' | 'mirrorPage' | 'mirrorRows' | 'find' | 'bodies'>
  index: Pick<SearchIndex, 'catchUp'>
  /** Also those that the platform does not have any more. */
  stores: readonly KeptStore[]
  places: Places
  /** Why there is no such list; null: there is. */
  lacks(operation: OperationName): string | null
  columns: SaleColumns
  mirrored: boolean
  subscribed: Pick<Subscribed, 'isFor'>
}

/** The names in the platform's odata of columns whose names are not published. */
export interface SaleColumns {
  receiptNo?: string | undefined
  posId?: string | undefined
  orderNo?: string | undefined
}

/** Kinds that tell of a sale whose lines odata lists. */
export const SALE_KINDS = ['SaleCreated', 'OmniChannelEndlessAisleOrderCreated', 'SaleExternalCreated'] as const

/** Gives each line of a day to `take`, and keeps none. Why the list proves nothing; null: it was read to its end. */
export async function eachLineOf(
  { platform }: Pick<SalesOptions, 'platform'>,
  { day, columns }: { day: string; columns: readonly string[] },
  take: (line: SalesLine) => void,
  signal: AbortSignal,
): Promise<string | null> {
  const ofDay = (line: SalesLine) => {
    if (line.soldAt.startsWith(day)) take(line)
  }
  return asideText(await platform.salesLines.each({ from: day, to: day, select: columns }, ofDay, signal))
}

/** The lines of a day, without columns besides those that the specification names. */
export async function linesOf(
  { platform }: Pick<SalesOptions, 'platform'>,
  day: string,
  signal: AbortSignal,
): Promise<{ lines: SalesLine[]; why: string | null }> {
  const lines: SalesLine[] = []
  const aside: Unreadable[] = []
  const asked = { from: day, to: day, select: [], records: false }
  for await (const window of platform.salesLines.list(asked, signal)) {
    await eachInSlices(window.rows, (row) => {
      if (row.soldAt.startsWith(day)) lines.push(row)
    })
    for (const row of window.aside) aside.push(row)
  }
  return { lines, why: asideText(aside) }
}
