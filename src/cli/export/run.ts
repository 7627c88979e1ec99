import type { Decimal } from '../../domain/values/money.ts'
import { columnsOf, rowsOf } from './columns.ts'
import { csvText } from './csv.ts'
import type { ReadHub } from './hub.ts'
import type { RowCounter } from './progress.ts'
import type { Sink } from './sink.ts'
import { sumsOf } from './sums.ts'

export type Format = 'csv' | 'ndjson'

/** An export, as it was asked for. */
export interface Wish {
  what: string
  filters: Readonly<Record<string, string | undefined>>
  personal: boolean
  format: Format
  /** CSV: a row for each thing in this list of an item. */
  rows: string | null
  /** CSV: texts that a spreadsheet would calculate are left as they are. */
  asIs: boolean
  hub: ReadHub
  sink: Sink
  progress: RowCounter
}

/** The report on what was written, which --json prints, too. */
export interface Report {
  what: string
  format: Format
  items: number
  /** Lines of the file, without the header. */
  rows: number
  bytes: number
  /** Milliseconds. */
  ms: number
  /** By currency. Null: what was written has no revenue. */
  revenue: Record<string, Decimal> | null
}

type Item = Readonly<Record<string, unknown>>

/** Writes all items, and only all of them. Throws what `ReadHub` and `Sink` throw. */
export async function runExport(wish: Wish): Promise<Report> {
  const { what, filters, personal, format, rows, asIs, hub, sink, progress } = wish
  const begun = performance.now()
  const report: Report = { what, format, items: 0, rows: 0, bytes: 0, ms: 0, revenue: null }
  const sums = sumsOf(what)
  const columns = format === 'csv' ? columnsOf(await hub.contract(), { what, rows, personal }) : null
  let waiting = columns === null ? '' : csvText([columns.map(({ header }) => header)], !asIs)
  const query = { ...filters, ...(personal && { personal: 'true' }) }
  for await (const lines of hub.lines(what, query)) {
    const items: Item[] = columns !== null || sums !== null ? lines.map((line) => JSON.parse(line)) : []
    for (const item of sums === null ? [] : items) sums?.add(item)
    const cells = columns === null ? null : items.flatMap((item) => rowsOf(item, columns, rows))
    waiting += cells === null ? `${lines.join('\n')}\n` : csvText(cells, !asIs)
    report.items += lines.length
    report.rows += cells?.length ?? lines.length
    if (waiting.length >= PIECE) await write()
    progress.show(report.items)
  }
  await write()
  await sink.done()
  return { ...report, ms: Math.round(performance.now() - begun), revenue: sums?.totals() ?? null }

  async function write(): Promise<void> {
    const text = waiting
    waiting = ''
    report.bytes += Buffer.byteLength(text)
    await sink.write(text)
  }
}

/** Characters that are written together. */
const PIECE = 256 * 1024
