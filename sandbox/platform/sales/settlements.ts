import { type Store, storeOf } from '../stores.ts'
import { toAmount, vatWithin } from './amounts.ts'
import type { SalesBook, Sold } from './book.ts'
import { storeDay, storeTime } from './clock.ts'
import { createPosCounters } from './counters.ts'
import type { Emit } from './emit.ts'
import { type FiscalReport, fiscalReport } from './fiscal.ts'

/** A settlement (Z report) of one POS, as GET /api/possettlement answers it (spec, "POS settlement"). */
export type Settlement = ReturnType<typeof settle>

/** The settlements of all POS. */
export function createSettlements({ sold }: Pick<SalesBook, 'sold'>, now: () => number, emit: Emit) {
  const settlements: (Settled & { day: string })[] = []
  const posList = createPosCounters()
  const hidden = new Set<number>()
  const settled = new Set<Sold>()
  /** The money in the drawer of each POS since its last settlement, in hundredths. */
  const drawers = new Map<string, number>()

  return {
    /** Settles each POS of the store that sold something since it was settled last, and tells who subscribed. */
    closeDay(storeNo: string): Settlement[] {
      const store = storeOf(storeNo)
      const open = sold.filter((sale) => sale.receipt.store === store && sale.receipt.posId > 0 && !settled.has(sale))
      const closed = [...Map.groupBy(open, ({ receipt }) => receipt.posId)].map(([posId, sales]) => {
        const pos = `${store.StoreId}/${posId}`
        const drawer = drawers.get(pos) ?? FIRST_CHANGE
        const z = posList.close({ posId, storeId: store.StoreId }, sales)
        const settlement = settle(330_001 + settlements.length, store, posId, sales, now(), drawer, z.number)
        drawers.set(pos, drawer + cashOf(sales))
        const report = fiscalReport(settlement, sales, z)
        settlements.push({ day: storeDay(now(), store), store, settlement, report })
        if (posList.hides()) hidden.add(settlement.SETTLEMENTID)
        for (const sale of sales) settled.add(sale)
        return settlement
      })
      for (const settlement of posList.hides() ? [] : closed)
        emit('POSSettlementCreated', settlementPayload(settlement, store), store, settlement)
      return closed
    },

    /** The settlements that were made on this day of their store (null: any day), oldest first. */
    of: (day: string | null, storeId: number | null = null): Settled[] =>
      settlements
        .filter(({ settlement }) => !hidden.has(settlement.SETTLEMENTID))
        .filter((one) => (day === null || one.day === day) && (storeId === null || one.store.StoreId === storeId)),

    /** What may happen to the counters of POS. `show`: what was hidden is listed. */
    posList: { ...posList, show: () => hidden.clear() },
  }
}

/** A settlement, and the report that the law asks of its POS. */
export interface Settled {
  store: Store
  settlement: Settlement
  report: FiscalReport
}

export type Settlements = ReturnType<typeof createSettlements>

/** The money that each POS begins with, to give change. */
const FIRST_CHANGE = 100_000

/** The VAT rate of each area; what other rates make is in VATTotal alone. */
const AREAS = [0.25, 0.15, 0.12]

/** GrossTotal is before discount, GrandTotal what was paid, NetTotal without VAT (no source says so; the names do). */
function settle(
  settlementId: number,
  store: Store,
  posId: number,
  sales: readonly Sold[],
  instant: number,
  drawer: number,
  zNumber: number,
) {
  const lines = sales.flatMap(({ receipt }) => receipt.lines)
  const gross = sum(lines.map(({ article, quantity }) => article.cents * quantity))
  const paid = sum(lines.map(({ cents, quantity }) => cents * quantity))
  const vatOf = (rate: number) =>
    sum(lines.map(({ article, cents, quantity }) => (article.vatRate === rate ? vatWithin(cents * quantity, rate) : 0)))
  const vat = sum([...new Set(lines.map(({ article }) => article.vatRate))].map(vatOf))
  const [area1, area2, area3] = AREAS.map((rate) => (vatOf(rate) === 0 ? null : toAmount(vatOf(rate))))
  const numbers = sales.map(({ receipt }) => Number(receipt.receiptNo))
  const instants = sales.map((sale) => sale.instant)
  return {
    SETTLEMENTID: settlementId,
    BatchNumber: String(zNumber),
    StoreNo: store.StoreNo,
    StoreInfo: `${store.StoreNo} ${store.City}`,
    StoreName: store.StoreName,
    POSID: posId,
    PosName: `POS ${posId % 10}`,
    PersonName: 'Ola',
    SettlementTimeStamp: storeTime(instant, store),
    DateTimeFrom: storeTime(Math.min(...instants), store),
    DateTimeTo: storeTime(Math.max(...instants), store),
    ReceiptNoFrom: Math.min(...numbers),
    ReceiptNoTo: Math.max(...numbers),
    Currency: store.Currency,
    GrossTotal: toAmount(gross),
    GrossDiscount: toAmount(gross - paid),
    GrandTotal: toAmount(paid),
    NetTotal: toAmount(paid - vat),
    VATTotal: toAmount(vat),
    VATArea1: area1 ?? null,
    VATArea2: area2 ?? null,
    VATArea3: area3 ?? null,
    OpeningCashBalance: toAmount(drawer),
    ClosingCashBalance: toAmount(drawer + cashOf(sales)),
    Discrepancy: 0,
    Comment: '',
    PaymentTypes: paymentsOf(sales).map(({ type, subType, cents }) => ({
      PaymentTypeId: subType === '' ? type : `${type}-${subType}`,
      Type: type,
      SubType: subType,
      Currency: store.Currency,
      CurrencyTendered: toAmount(cents),
      Amount: toAmount(cents),
    })),
    Withdrawals: [],
    Deposits: [],
  }
}

/** The payments of these sales, summed by type and sub type: what gift cards brought and took is apart, as is rounding. */
function paymentsOf(sales: readonly Sold[]): { type: string; subType: string; cents: number }[] {
  const payments = sales.flatMap(({ receipt }) => receipt.payments)
  return [...Map.groupBy(payments, ({ type, subType }) => `${type} ${subType}`).values()].map((same) => ({
    type: same[0]?.type ?? '',
    subType: same[0]?.subType ?? '',
    cents: sum(same.map(({ cents }) => cents)),
  }))
}

/** The money that came into the drawer: coins and notes, not what was rounded away. */
function cashOf(sales: readonly Sold[]): number {
  return sum(paymentsOf(sales).map(({ subType, cents }) => (subType === 'Cash' ? cents : 0)))
}

/** The event's payload is not shown; its names are those of version 2 in camel case, with the store's own number. */
function settlementPayload({ SETTLEMENTID, POSID, ...rest }: Settlement, { StoreId }: Store) {
  return {
    settlementId: SETTLEMENTID,
    storeId: StoreId,
    storeExtId: rest.StoreNo,
    storeName: rest.StoreName,
    posId: POSID,
    posName: rest.PosName,
    batchNumber: rest.BatchNumber,
    settlementTimeStamp: rest.SettlementTimeStamp,
    receiptNoFrom: rest.ReceiptNoFrom,
    receiptNoTo: rest.ReceiptNoTo,
    currency: rest.Currency,
    grandTotal: rest.GrandTotal,
    netTotal: rest.NetTotal,
    vatTotal: rest.VATTotal,
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
