import { whyShort } from '../../../domain/ledger/facts/short-list.ts'
import { disagree, matchLines, type SoldLine } from '../../../domain/ledger/facts/sold-lines.ts'
import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { field, list, text } from '../../../domain/values/field.ts'
import { multiplyDecimals, sumDecimals } from '../../../domain/values/money.ts'
import { wallClockIn } from '../../../domain/values/store-time.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import { mirrorPages } from '../../../store/walk-pages.ts'
import type { FactRoad, ListedFact } from './road.ts'
import { linesOf, SALE_KINDS, type SalesOptions } from './sales-source.ts'

const DISAGREE =
  'times or prices of the lines and of the events do not agree: name the columns of receipts (pulls.saleColumns)'

const LACKS =
  'the lines say neither receipt nor POS: name their columns (pulls.saleColumns), or have it sent again by the contact at the platform, or bring it in by hand; then: tillbridge gaps explain <id> --reason "…"'

/** Sales by what was sold when in which store, where the list names no receipts: each line is told by a line of its own. */
export function linesRoad(options: SalesOptions): FactRoad {
  const { store, places, mirrored, subscribed } = options
  const [kind] = SALE_KINDS
  const told = new Set<ListedFact>()
  const notTold = SALE_KINDS.filter((one) => !subscribed.isFor(one))
  return {
    kind,
    list: 'odata Saleslines',
    cannotTell: options.lacks('salesLines.list') ?? whyNot(mirrored, notTold),
    learns: false,
    voids: true,
    async read(day, bound, signal) {
      told.clear()
      const { lines, why } = await linesOf(options, day, signal)
      const nameless = lines.some(({ storeId }) => places.ofStore(storeId).store?.number == null)
      if (nameless) return { facts: [], rows: lines.length, why: 'a store has no number' }
      const known = await toldLines(day, signal)
      const { isTold, left } = matchLines(lines.map(listedLine), known)
      const unmatched = isTold.filter((one) => !one).length
      if (disagree(lines.length, unmatched, known.length, left)) return { facts: [], rows: lines.length, why: DISAGREE }
      const groups = Map.groupBy([...lines.entries()], ([, { storeId, soldAt }]) => JSON.stringify([storeId, soldAt]))
      const facts = [...groups.values()].map((group) => {
        const fact = factOf(
          group.map(([, line]) => line),
          day,
        )
        if (group.every(([index]) => isTold[index] === true)) told.add(fact)
        return fact
      })
      const due = known.filter(({ latest }) => latest < bound)
      const { left: lacked } = matchLines(lines.map(listedLine), due)
      return {
        facts,
        rows: lines.length,
        why: why ?? whyShort(due.length, lacked, { listed: lines.length, voids: true }),
      }
    },
    standings: async (facts) => facts.map((fact) => (told.has(fact) ? 'told' : 'untold')),
  }

  /** Lines of all kinds of sales that the hub has. */
  async function toldLines(day: string, signal: AbortSignal): Promise<(SoldLine & { latest: number })[]> {
    const all: (SoldLine & { latest: number })[] = []
    for await (const page of mirrorPages(store, { set: 'sales', from: day, to: day }, signal))
      for (const { place, body } of page) {
        const { zones, store: shop } = places.ofNumber(place)
        const soldAt = wallClockIn(text(body, 'soldAt') ?? '', shop?.zone ?? null)
        const at = { at: Date.parse(`${soldAt}Z`), latest: instantsOf(soldAt, zones).latest }
        for (const line of list(body, 'lines'))
          all.push({ store: place ?? '', gtin: text(line, 'gtin'), ...numbersOf(line), ...at })
      }
    return all
  }

  function listedLine({ storeId, gtin, quantity, unitPrice, soldAt }: SalesLine): SoldLine {
    const number = places.ofStore(storeId).store?.number ?? ''
    return { store: number, gtin, quantity, unitPrice, at: Date.parse(`${soldAt}Z`) }
  }

  function factOf(lines: readonly SalesLine[], day: string): ListedFact {
    const [first] = lines as [SalesLine, ...SalesLine[]]
    const { storeId, soldAt } = first
    const total = sumDecimals(lines.map(({ quantity, unitPrice }) => multiplyDecimals(quantity, unitPrice)))
    return {
      subject: `${storeId}/${soldAt}`,
      storeId,
      day,
      ...instantsOf(soldAt, places.ofStore(storeId).zones),
      says: { soldAt, total, lines: lines.length },
      lacks: LACKS,
      payload: null,
    }
  }
}

function numbersOf(line: unknown): Pick<SoldLine, 'quantity' | 'unitPrice'> {
  return { quantity: String(field(line, 'quantity')), unitPrice: String(field(line, 'unitPrice')) }
}

function whyNot(mirrored: boolean, notTold: readonly string[]): string | null {
  if (!mirrored) return 'pulls.saleColumns names no receipts, and sales are not mirrored (mirror: all)'
  if (notTold.length === 0) return null
  return `pulls.saleColumns names no receipts, and sales of other kinds are listed too: subscribe to ${notTold.join(' and ')}`
}
