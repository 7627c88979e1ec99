export interface HistogramValues {
  /** Upper bounds, included; above the last one nothing is told apart. */
  bounds: readonly number[]
  /** One more than bounds, not cumulative. */
  counts: readonly number[]
  sum: number
}

export type Histogram = ReturnType<typeof createHistogram>

/** The value that this part of all lies below, as far as the bounds tell; null: there is none. */
export function quantileOf({ bounds, counts }: HistogramValues, part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let left = part * total
  for (const [at, count] of counts.entries()) {
    const from = bounds[at - 1] ?? 0
    // Above the last bound nothing is told apart.
    if (count > 0 && left <= count) return from + ((bounds[at] ?? from) - from) * (left / count)
    left -= count
  }
  return null
}

/** Counts by fixed bounds. `observe` stands on hot paths: it allocates nothing. */
export function createHistogram(bounds: readonly number[]) {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    /** Below zero, by a clock that was set, counts as zero. */
    observe(value: number): void {
      let at = 0
      while (value > (bounds[at] ?? Number.POSITIVE_INFINITY)) at += 1
      counts[at] = (counts[at] ?? 0) + 1
      if (value > 0) sum += value
    },
    values: (): HistogramValues => ({ bounds, counts: [...counts], sum }),
  }
}
