import { type Decimal, subtractDecimals } from '../../values/money.ts'
import { NOTHING } from './named-sum.ts'
import type { TillReport } from './report.ts'

/** What is remembered of a report for the one behind it. */
export type Link = Pick<TillReport, 'settlementId' | 'place' | 'number' | 'counter' | 'closedAt'>

/** Something wrong between a report and the one before it. */
export type Break =
  /** `sold`: what the reports that lack have sold by the counter; null: it does not tell. */
  | { cause: 'z-missing'; from: number; to: number; sold: Decimal | null }
  | { cause: 'z-again'; number: number }
  /** The counter grew by so much more than was sold; below 0: by less. */
  | { cause: 'sum-jumped'; difference: Decimal }

/** What is wrong with a report after the one before it (null: it is the first that is known). */
export function breaksBetween(previous: Link | null, report: TillReport): Break[] {
  if (previous === null || beginsAnew(previous, report)) return []
  const jump = jumpOf(previous, report)
  const { number } = report
  if (number === null || previous.number === null) return jumped(jump)
  if (number > previous.number + 1)
    return [{ cause: 'z-missing', from: previous.number + 1, to: number - 1, sold: jump }]
  // Numbered from the beginning while the counter goes on: nothing is lost.
  if (number === 1 && jump === NOTHING) return []
  if (number <= previous.number) return [{ cause: 'z-again', number }]
  return jumped(jump)
}

/** Another till, or one whose memory was renewed: its counters hold nothing but this report. */
function beginsAnew(previous: Link, { number, counter, growth }: TillReport): boolean {
  if (number !== null && previous.number !== null && number > previous.number) return false
  if (counter !== null && growth !== null) return counter === growth && (number === null || number === 1)
  return number === 1
}

/** By how much more the counter grew than the report sold; null: it does not tell. */
function jumpOf(previous: Link, { counter, growth }: TillReport): Decimal | null {
  if (previous.counter === null || counter === null || growth === null) return null
  return subtractDecimals(subtractDecimals(counter, previous.counter), growth)
}

function jumped(jump: Decimal | null): Break[] {
  return jump === null || jump === NOTHING ? [] : [{ cause: 'sum-jumped', difference: jump }]
}
