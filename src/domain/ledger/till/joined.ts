import { type Decimal, sumDecimals } from '../../values/money.ts'
import type { Group } from './groups.ts'
import { addedUp } from './named-sum.ts'
import type { TillReport } from './report.ts'

/** A group as one report: its last one, with what all of them say. */
export function joined(group: Group): TillReport {
  const [first] = group
  const last = group.at(-1) ?? first
  if (group.length === 1) return first
  const sum = (values: readonly (Decimal | null)[]) => (isFull(values) ? sumDecimals(values) : null)
  const payments = group.map((one) => one.payments)
  const rates = group.map((one) => one.rates)
  const receipts = group.map((one) => one.receipts)
  return {
    ...last,
    // Clocks went back between them: the first of their times may be that of the last report.
    from: outermost(group.map(({ from }) => from)).at(0) ?? null,
    to: outermost(group.map(({ to }) => to)).at(-1) ?? null,
    numbers: null,
    receipts: isFull(receipts) ? receipts.reduce<number>((total, count) => total + (count ?? 0), 0) : null,
    sold: sum(group.map(({ sold }) => sold)),
    payments: isFull(payments) ? addedUp(payments) : null,
    rates: isFull(rates) ? rates.flat() : null,
    isWhole: group.every(({ isWhole }) => isWhole),
  }
}

function isFull<Value>(values: readonly (Value | null)[]): values is readonly Value[] {
  return values.every((value) => value !== null)
}

function outermost(times: readonly (string | null)[]): string[] {
  return times.flatMap((time) => time ?? []).sort()
}
