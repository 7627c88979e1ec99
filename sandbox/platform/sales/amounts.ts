/** Hundredths as a JSON number with two decimals at most: 34990 is 349.9. */
export function toAmount(cents: number): number {
  return Number(toText(cents))
}

/** Hundredths as text with two decimals: 34990 is `349.90`. */
export function toText(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The VAT within an amount, rounded to hundredths. */
export function vatWithin(cents: number, rate: number): number {
  return Math.round((cents * rate) / (1 + rate))
}
