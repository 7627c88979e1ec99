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

/** Holds what tills sold against what was settled, row by row. */
export function createUnsettled(): { sold(row: Row): void; settled(row: Row): void; missing(): UnsettledTill[] } {
  const tills = new Map<string, UnsettledTill>()
  const covered = new Set<string>()

  return {
    sold({ place: store, day, body }) {
      // A sale that another system imported was in no till.
      if (body.external === true || day === '') return
      const posId = textOf(body.posId)
      const name = nameOf({ store, posId, day })
      const receipt = textOf(body.receiptNo)
      const till = tills.get(name) ?? { store, posId, day, sales: 0, firstReceipt: receipt, lastReceipt: null }
      tills.set(name, { ...till, sales: till.sales + 1, lastReceipt: receipt })
    },

    settled({ place: store, day, body }) {
      const posId = textOf(body.posId)
      for (const one of daysOf(day, textOf(body.from), textOf(body.to))) covered.add(nameOf({ store, posId, day: one }))
    },

    missing() {
      return [...tills.values()]
        .filter((till) => !covered.has(nameOf(till)) && !covered.has(nameOf({ ...till, posId: null })))
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    },
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
