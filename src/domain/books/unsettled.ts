/** Sales of a till on a day. */
interface SoldAt {
  store: string | null
  posId: string | null
  day: string
}

/** A till that sold on a day, and has no settlement of it. */
export interface UnsettledTill extends SoldAt {
  sales: number
  firstReceipt: string | null
  lastReceipt: string | null
}

interface Row {
  place: string | null
  day: string
  body: Readonly<Record<string, unknown>>
}

/**
 * Holds what tills sold against what was settled, row by row. `storeOf` says whose a row is, whatever the store was called then: where a
 * settlement tells that and a sale does not, both are held by what the store is called, too.
 */
export function createUnsettled(storeOf: (row: Row) => string | null): {
  sold(row: Row): void
  settled(row: Row): void
  missing(): UnsettledTill[]
} {
  const tills = new Map<string, UnsettledTill & { home: string | null }>()
  const covered = new Set<string>()

  return {
    sold(row) {
      const { place: store, day, body } = row
      // A sale that another system imported was in no till.
      if (body.external === true || day === '') return
      const posId = textOf(body.posId)
      const home = storeOf(row)
      const name = nameOf({ store: home, posId, day })
      const receipt = textOf(body.receiptNo)
      const till = tills.get(name) ?? { home, store, posId, day, sales: 0, firstReceipt: receipt, lastReceipt: null }
      tills.set(name, { ...till, sales: till.sales + 1, lastReceipt: receipt })
    },

    settled(row) {
      const posId = textOf(row.body.posId)
      const days = daysOf(row.day, textOf(row.body.from), textOf(row.body.to))
      for (const day of days) for (const store of [storeOf(row), row.place]) covered.add(nameOf({ store, posId, day }))
    },

    missing() {
      return [...tills.values()]
        .filter((till) => !isCovered(till) && !isCovered({ ...till, store: till.home }))
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
        .map(({ home: _, ...till }) => till)
    },
  }

  /** A settlement without a till is of all of them. */
  function isCovered(till: SoldAt): boolean {
    return covered.has(nameOf(till)) || covered.has(nameOf({ ...till, posId: null }))
  }
}

/** The days that a settlement covers: its own, and those that its sales are of. */
function daysOf(day: string, from: string | null, to: string | null): string[] {
  const days = new Set([day])
  const [first, last] = [from?.slice(0, 10), to?.slice(0, 10)]
  if (first === undefined || last === undefined) return [...days]
  for (let at = Date.parse(first); at <= Date.parse(last) && days.size < MOST_DAYS; at += DAY)
    days.add(new Date(at).toISOString().slice(0, 10))
  return [...days]
}

const DAY = 86_400_000
/** A settlement of more days was not made by a till that is closed each day. */
const MOST_DAYS = 10

function nameOf({ store, posId, day }: SoldAt): string {
  return JSON.stringify([store, posId, day])
}

function orderOf({ day, store, posId }: SoldAt): string {
  return `${day} ${(store ?? '').padStart(12)} ${(posId ?? '').padStart(12)}`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
