import { type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../../values/money.ts'

/** Sums by name: of each way to pay, of each VAT rate. */
export type NamedSums = Readonly<Record<string, Decimal>>

/** Something that the till has otherwise than what is here. */
export interface Difference {
  /** `receipts`, `total`, `Card`, `Rounding`, `VAT 25 %` … */
  what: string
  till: Decimal
  here: Decimal
}

export const NOTHING: Decimal = parseDecimal(0)

/** The sums of all, by name; an amount of nothing leaves no name. */
export function sumsOf(rows: Iterable<readonly [name: string, amount: Decimal]>): NamedSums {
  const sums: Record<string, Decimal> = {}
  for (const [name, amount] of rows) sums[name] = sumDecimals([sums[name] ?? NOTHING, amount])
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== NOTHING))
}

/** Several of them as one. */
export function addedUp(all: Iterable<NamedSums>): NamedSums {
  return sumsOf([...all].flatMap((sums) => Object.entries(sums)))
}

/** The names of which the sums are not the same. */
export function differences(till: NamedSums, here: NamedSums): Difference[] {
  const names = [...new Set([...Object.keys(till), ...Object.keys(here)])]
  return names.flatMap((name) => difference(name, till[name] ?? NOTHING, here[name] ?? NOTHING))
}

/** None where they are the same. */
export function difference(what: string, till: Decimal, here: Decimal): Difference[] {
  return till === here ? [] : [{ what, till, here }]
}

/** How much more the till has. */
export function tooLittle({ till, here }: Difference): Decimal {
  return subtractDecimals(till, here)
}

/** For people: `Card: 500 at the till, 300 here`. */
export function differenceText({ what, till, here }: Difference): string {
  return `${what}: ${till} at the till, ${here} here`
}
