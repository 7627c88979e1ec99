import { instantsOf } from '../../domain/completeness/source-record.ts'
import { POS_ORDER_CREATED } from '../../domain/orders/order.ts'
import { keyPart, payloadOrNull } from '../../domain/queue/event.ts'
import { type FormerPlace, posNames } from '../../domain/stores/store-index.ts'
import { list, text } from '../../domain/values/field.ts'
import { addDays, type Instant } from '../../domain/values/instant.ts'
import { type Decimal, multiplyDecimals, sumDecimals, ZERO } from '../../domain/values/money.ts'
import { wallClockIn } from '../../domain/values/store-time.ts'
import { chunksOf } from '../../lib/collections.ts'
import { rejectedText } from '../../platform/http/read.ts'
import { saleIdentity } from '../../platform/payloads/kinds.ts'
import type { Platform } from '../../platform/platform.ts'
import type { SalesLine } from '../../platform/resources/sales.ts'
import type { StoredStore } from '../../storage/rows.ts'
import { bodiesById } from '../../storage/walk-pages.ts'
import { wireNumber } from '../pulls/ingest.ts'
import {
  areStoredBySubject,
  compareWithMirror,
  eventsOf,
  type ListedRecord,
  type ListOptions,
  type RecordList,
} from './list.ts'

/** Names of odata columns that are not published. */
export interface SaleColumns {
  receiptNo?: string | undefined
  posId?: string | undefined
  orderNo?: string | undefined
}

interface Options extends ListOptions {
  platform: Pick<Platform, 'salesLines'>
  columns: SaleColumns
  /** Events of the online store's orders are subscribed to. */
  ordersCome: boolean
}

export const SALE_KINDS = ['SaleCreated', POS_ORDER_CREATED, 'SaleExternalCreated'] as const

/** Columns for the event, besides those of the specification. */
const SAID = ['SALESLINEID', 'SALEID', 'VATPercent', 'Currency']

const BY_HAND =
  'have it sent again by the contact at the platform, or bring it in by hand; then: tillbridge gaps explain <id> --reason "…"'

/** Clocks of event and list may differ (ms). */
const APART = 5_000

const BODIES = 50

/** Sales from odata Saleslines. Lines without a receipt are not from a POS; sales without lines (gift cards) are not listed. */
export function salesList(options: Options): RecordList {
  const { platform, storage, places, columns, ordersCome, lacks, mirrored } = options
  const { receiptNo = '', posId = '', orderNo } = columns
  const select = [...SAID, receiptNo, posId, ...(orderNo === undefined ? [] : [orderNo])]
  const isNamed = columns.receiptNo !== undefined && columns.posId !== undefined
  const [kind] = SALE_KINDS
  const shops = new Map<string, SoldIn>()
  const mayBeOrder = orderNo === undefined && ordersCome
  return {
    kind,
    list: 'odata Saleslines',
    cannotTell:
      lacks('salesLines.list') ?? (isNamed ? null : 'pulls.saleColumns does not name the receipt and its POS'),
    voids: true,
    async read(day, bound, signal) {
      const sales = new Map<string, ListedSale>()
      let rows = 0
      let isNameless = false
      const rejected = await each(day, signal, (line) => {
        rows += 1
        const sale = saleOf(line)
        if (sale === 'nowhere') isNameless = true
        if (sale === null || sale === 'nowhere') return
        const known = sales.get(sale.key)
        if (known === undefined) sales.set(sale.key, new ListedSale(sale.key, line, sale.named, sale.where))
        // Countries number their stores alike.
        else if (known.storeId === line.storeId) known.add(line)
      })
      const records = [...sales.values()]
      const why = rejected ?? (isNameless ? 'the store of a line is not known' : null)
      let byReceipt: Map<string, ListedSale[]> | undefined
      const read = { records, rows, why }
      return await compareWithMirror(read, {
        ...{ set: 'sales', time: 'soldAt', amount: 'total', voids: true, isNamed: true },
        ...{ storage, mirrored, day, bound, signal },
        locationOf: ({ place }) => places.ofNumber(place),
        // Sales of online stores have no receipt, and sales without goods no lines.
        isCounted: ({ body }) => body.external !== true && list(body, 'lines').length > 0,
        isListed({ key, body }) {
          if (sales.has(key)) return true
          byReceipt ??= Map.groupBy(records, ({ subject }) => receiptOf(subject))
          return (byReceipt.get(receiptOf(key)) ?? []).some((record) => record.isSoldAt(text(body, 'soldAt')))
        },
      })
    },
    async payloads(day, subjects, signal) {
      const sales = new Map<string, { record: ListedSale; lines: SalesLine[] }>()
      await each(day, signal, (line) => {
        const sale = saleOf(line)
        if (sale === null || sale === 'nowhere' || !subjects.has(sale.key)) return
        const known = sales.get(sale.key)
        const { key, named, where } = sale
        if (known === undefined) sales.set(key, { record: new ListedSale(key, line, named, where), lines: [line] })
        else if (known.record.storeId === line.storeId) known.lines.push(line)
      })
      return new Map([...sales].map(([subject, { record, lines }]) => [subject, record.payload(lines)]))
    },
    async otherSubjects(records) {
      const former = await storage.formerPlaces()
      return (records as ListedSale[]).flatMap((record) => record.keys(former))
    },
    async areStored(records) {
      const here = await areStoredBySubject(storage, kind, records)
      const others = records.filter((_, nth) => here[nth] === false) as ListedSale[]
      const found = others.length === 0 ? new Set<ListedRecord>() : await hereUnderOtherKeys(others)
      return records.map((record, nth) => here[nth] === true || found.has(record))
    },
  }

  /** Returns why the list proves nothing; null: it was read to its end. */
  async function each(day: string, signal: AbortSignal, take: (line: SalesLine) => void): Promise<string | null> {
    const ofDay = (line: SalesLine) => {
      if (line.soldAt.startsWith(day)) take(line)
    }
    return rejectedText(await platform.salesLines.each({ from: day, to: day, select }, ofDay, signal))
  }

  /** Null: not of a POS. `nowhere`: of an unknown store. */
  function saleOf({ record, storeId, soldAt }: SalesLine) {
    const [receipt, pos] = [text(record, receiptNo), text(record, posId)]
    if (receipt === null || pos === null || pos === '0') return null
    const { store: shop, zones } = places.ofStore(storeId)
    const where = shops.get(storeId) ?? (shop === null ? null : { shop, zones, mayBeOrder })
    if (where === null) return 'nowhere'
    shops.set(storeId, where)
    const named = { receiptNo: receipt, posId: pos, order: orderNo === undefined ? null : text(record, orderNo) }
    return { key: keyOf(named, soldAt, where), named, where }
  }

  /** Of another kind, or under another store number, name or day (UTC); of the same moment, since receipt numbers repeat. */
  async function hereUnderOtherKeys(records: readonly ListedSale[]): Promise<Set<ListedRecord>> {
    const former = await storage.formerPlaces()
    const keys = records.flatMap((record) =>
      record.keys(former).flatMap((identity) => SALE_KINDS.map((one) => ({ record, kind: one, identity }))),
    )
    const events = await eventsOf(storage, keys)
    const here = new Set<ListedRecord>()
    const toRead: { record: ListedSale; id: number }[] = []
    for (const [nth, event] of events.entries()) {
      const key = keys[nth]
      if (event === null || key === undefined) continue
      if (key.identity === key.record.subject) here.add(key.record)
      else toRead.push({ record: key.record, id: event.id })
    }
    for (const part of chunksOf(toRead, BODIES)) {
      const bodies = await bodiesById(storage, part)
      for (const { record, id } of part)
        if (record.isSoldAt(text(payloadOrNull(bodies.get(id) ?? null), 'createdDateTime'))) here.add(record)
    }
    return here
  }
}

interface Named {
  receiptNo: string
  posId: string
  /** Number of the online store's order, if a column tells. */
  order: string | null
}

interface SoldIn {
  shop: StoredStore
  zones: readonly string[]
  /** It may be an order: no column tells, and such events come. */
  mayBeOrder: boolean
}

/** Its lines are not stored: a day has a hundred thousand sales, and nearly all are here. */
class ListedSale implements ListedRecord {
  readonly subject: string
  amount: Decimal = ZERO
  readonly #in: SoldIn
  readonly #soldAt: string
  readonly #order: string | null
  #currency: string | null
  #lines = 0

  constructor(subject: string, first: SalesLine, { order }: Named, where: SoldIn) {
    this.subject = subject
    this.#in = where
    this.#soldAt = first.soldAt
    this.#order = order
    this.#currency = first.currency === where.shop.currency ? where.shop.currency : first.currency
    this.add(first)
  }

  add({ quantity, unitPrice }: SalesLine): void {
    this.#lines += 1
    const revenue = quantity === '1' ? unitPrice : multiplyDecimals(quantity, unitPrice)
    this.amount = this.#lines === 1 ? revenue : sumDecimals([this.amount, revenue])
  }

  get earliest(): Instant {
    return instantsOf(this.#soldAt, this.#in.zones).earliest
  }

  get latest(): Instant {
    return instantsOf(this.#soldAt, this.#in.zones).latest
  }

  get day(): string {
    return this.#soldAt.slice(0, 10)
  }

  get storeId(): string {
    return this.#in.shop.storeId
  }

  get says() {
    const { number } = this.#in.shop
    return { ...this.#named, storeNo: number, total: Number(this.amount), lines: this.#lines }
  }

  get lacks(): string | null {
    const { shop, mayBeOrder } = this.#in
    if ((this.#currency ?? shop.currency) === null) return `no line says its currency, nor does its store: ${BY_HAND}`
    if (mayBeOrder)
      return `it may be an order of the online store, and the lines do not say how that is to be sent (pulls.saleColumns.orderNo): ${BY_HAND}`
    if (this.#order === null) return null
    return `it is an order of the online store, and the lines do not say how that is to be sent: ${BY_HAND}`
  }

  /** Business keys under which its event may be. */
  keys(former: readonly FormerPlace[]): string[] {
    const { shop } = this.#in
    const names = [...posNames(shop, former), ...(shop.name === null ? [] : [shop.name])].map(keyPart)
    const days = [-1, 0, 1].map((more) => splitSaleKey(keyOf(this.#named, addDays(this.day, more), this.#in)).rest)
    return [...new Set([this.subject, ...names.flatMap((name) => days.map((rest) => `${name}/${rest}`))])]
  }

  isSoldAt(at: string | null): boolean {
    const separate = Date.parse(`${wallClockIn(at ?? '', this.#in.shop.zone)}Z`) - Date.parse(`${this.#soldAt}Z`)
    return Math.abs(separate) <= APART
  }

  /** The sale as a webhook would bring it (spec, "Sale payload"), as far as its lines tell: without payments, customer and VAT amounts. */
  payload(lines: readonly SalesLine[]) {
    const { number, name, currency } = this.#in.shop
    const { receiptNo, posId } = this.#named
    return {
      receiptNo,
      createdDateTime: this.#soldAt,
      orderLines: lines.map(({ lineId, gtin, quantity, unitPrice, fullPrice, vatRate }) => ({
        rowId: lineId,
        gtin,
        quantity: wireNumber(quantity),
        price: wireNumber(unitPrice),
        fullPrice: fullPrice === null ? null : wireNumber(fullPrice),
        vatPercent: vatRate === null ? null : wireNumber(vatRate),
      })),
      store: { storeExtId: number, storeName: name, posId, currency: this.#currency ?? currency },
      total: wireNumber(sumDecimals(lines.map(({ quantity, unitPrice }) => multiplyDecimals(quantity, unitPrice)))),
    }
  }

  get #named(): { receiptNo: string; posId: string } {
    const [posId = '', receiptNo = ''] = splitSaleKey(this.subject).rest.split('/').map(decodeURIComponent)
    return { receiptNo, posId }
  }
}

function keyOf({ receiptNo, posId }: Pick<Named, 'receiptNo' | 'posId'>, soldAt: string, { shop }: SoldIn): string {
  const { number, name } = shop
  const store = { storeExtId: number, storeName: name, posId }
  return saleIdentity({ receiptNo, createdDateTime: soldAt, store })?.key ?? ''
}

function receiptOf(key: string): string {
  const { rest } = splitSaleKey(key)
  return rest.slice(0, rest.lastIndexOf('/'))
}

function splitSaleKey(key: string): { naming: string; rest: string } {
  const at = key.indexOf('/')
  return { naming: key.slice(0, at), rest: key.slice(at + 1) }
}
