import type { Range } from '../../domain/ledger/covered.ts'
import type { Listed } from '../../platform/http/listed.ts'
import type { EventRecord } from '../../platform/platform.ts'

/** A window is not made narrower than this (milliseconds). */
const NARROWEST = 1_000

/** What the log holds of a window. `cut`: the answer may lack records, and nothing narrower shows that it does not. */
export interface Window extends Listed<EventRecord> {
  cut: boolean
}

/**
 * Reads a window of the log. How the log is paged is not shown: an answer of a round number of records may be the first of
 * several, so its halves are asked for, as long as that narrows it.
 */
export async function readWindow(range: Range, list: (range: Range) => Promise<Listed<EventRecord>>): Promise<Window> {
  const whole = await list(range)
  const size = whole.rows.length + whole.aside.length
  if (!looksCut(size)) return { ...whole, cut: false }
  if (range.to - range.from <= NARROWEST) return { ...whole, cut: true }
  const middle = Math.floor((range.from + range.to) / 2)
  const first = await list({ from: range.from, to: middle })
  // The dialect asks for whole days: to halve them changes nothing.
  if (first.rows.length + first.aside.length >= size) return { ...whole, cut: true }
  const halves = [
    await readWindow({ from: range.from, to: middle }, async (one) =>
      one.to === middle && one.from === range.from ? first : await list(one),
    ),
    await readWindow({ from: middle, to: range.to }, list),
  ]
  const rows = new Map(halves.flatMap((half) => half.rows.map((row) => [row.webhookEventId, row])))
  return { rows: [...rows.values()], aside: halves.flatMap((half) => half.aside), cut: halves.some(({ cut }) => cut) }
}

/** As many as a page may hold: a hundred, or several. */
function looksCut(size: number): boolean {
  return size >= 100 && size % 100 === 0
}
