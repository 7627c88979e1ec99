import type { KeptRow } from '../../../domain/catalogue/mirror.ts'
import { whyShort } from '../../../domain/ledger/facts/short-list.ts'
import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { PLATFORM } from '../../../domain/queue/event.ts'
import { list, text } from '../../../domain/values/field.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import { saleIdentity } from '../../../payloads/identity.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import { standingsOf } from './by-identity.ts'
import { lackedBy } from './lacked.ts'
import type { FactRoad, ListedFact } from './road.ts'
import { salePayload } from './sale-payload.ts'
import { linesOf, SALE_KINDS, type SalesOptions } from './sales-source.ts'

interface Columns {
  receiptNo: string
  posId: string
  orderNo: string | undefined
}

/** Columns of a line, besides those that the specification names, that an event can be made of. */
const SAID = ['SALELINEID', 'SALEID', 'VATPercent', 'Currency']

const ENDLESS_AISLE = 'OmniChannelEndlessAisleOrderCreated'

/** The event and the list may have been written by two clocks of the platform (seconds). */
const APART = 5

const BY_HAND =
  'have it sent again by the contact at the platform, or bring it in by hand; then: tillbridge gaps explain <id> --reason "…"'

/** Sales by store, POS, receipt number and day: what an event is known by. Lines without a receipt were not sold at a till. */
export function receiptsRoad(options: SalesOptions, { receiptNo, posId, orderNo }: Columns): FactRoad {
  const { store, places, mirrored, subscribed } = options
  const columns = [...SAID, receiptNo, posId, ...(orderNo === undefined ? [] : [orderNo])]
  const [kind, ...others] = SALE_KINDS
  return {
    kind,
    list: 'odata Saleslines',
    cannotTell: options.lacks('salesLines.list'),
    learns: true,
    voids: true,
    async read(day, bound, signal) {
      const { lines, why: unread } = await linesOf(options, day, columns, signal)
      const sales = await salesOf(lines)
      const facts: ListedFact[] = []
      await eachInSlices(sales.values(), (sale) => {
        const fact = factOf(sale, day)
        if (fact !== null) facts.push(fact)
      })
      let why = unread ?? (facts.length < sales.size ? 'the store of a line is not known' : null)
      if (mirrored && why === null) {
        const keys = new Set(facts.map(({ subject }) => subject))
        const zonesOf = (row: { place: string | null }) => places.ofNumber(row.place).zones
        // Those of online stores have no receipt, and those without goods no lines.
        const counts = ({ body }: KeptRow) => body.external !== true && list(body, 'lines').length > 0
        const asked = { store, set: 'sales', day, bound, time: 'soldAt', zonesOf, counts, signal } as const
        const { told, lacked } = await lackedBy(keys, asked)
        why = whyShort(told, lacked, { listed: facts.length, voids: true })
      }
      return { facts, rows: lines.length, why }
    },
    standings: (facts, lag) => standingsOf([kind, ...others], facts, lag, store),
  }

  /** The lines of each sale that was made at a till. */
  async function salesOf(lines: readonly SalesLine[]): Promise<Map<string, SalesLine[]>> {
    const sales = new Map<string, SalesLine[]>()
    await eachInSlices(lines, (line) => {
      const [receipt, pos] = [text(line.record, receiptNo), text(line.record, posId)]
      if (receipt === null || pos === null || pos === '0') return
      const key = JSON.stringify([line.storeId, pos, receipt, line.soldAt.slice(0, 10)])
      const those = sales.get(key)
      if (those) those.push(line)
      else sales.set(key, [line])
    })
    return sales
  }

  function factOf(lines: readonly SalesLine[], day: string): ListedFact | null {
    const [first] = lines
    const place = first && places.ofStore(first.storeId)
    if (!first || !place?.store) return null
    const named = (name: string) => text(first.record, name)
    const receipt = { receiptNo: named(receiptNo) ?? '', posId: named(posId) ?? '' }
    const payload = salePayload(lines, place.store, receipt)
    const identity = saleIdentity(payload, PLATFORM)
    if (identity === null) return null
    const lacks = lackOf(orderNo === undefined ? undefined : named(orderNo), payload.store.currency)
    return {
      subject: identity.key,
      storeId: first.storeId,
      day,
      ...instantsOf(first.soldAt, place.zones),
      says: { ...receipt, storeNo: place.store.number, total: payload.total, lines: lines.length },
      lacks,
      payload: lacks === null ? payload : null,
      isThin: true,
      aliases: aroundMidnight(first.soldAt).flatMap(
        (createdDateTime) => saleIdentity({ ...payload, createdDateTime }, PLATFORM)?.key ?? [],
      ),
    }
  }

  /** An order of the online store is to be sent: how, the lines do not say. */
  function lackOf(order: string | null | undefined, currency: string | null): string | null {
    if (currency === null) return `no line says its currency, nor does its store: ${BY_HAND}`
    if (order === undefined && subscribed.isFor(ENDLESS_AISLE))
      return `it may be an order of the online store, and the lines do not say how that is to be sent (pulls.saleColumns.orderNo): ${BY_HAND}`
    if (order !== undefined && order !== null)
      return `it is an order of the online store, and the lines do not say how that is to be sent: ${BY_HAND}`
    return null
  }
}

/** The other day that an event of a sale at midnight may name. */
function aroundMidnight(soldAt: string): string[] {
  const at = Date.parse(`${soldAt}Z`)
  const days = [at - APART * 1_000, at + APART * 1_000].map((one) => new Date(one).toISOString().slice(0, 10))
  return days.filter((day) => !soldAt.startsWith(day))
}
