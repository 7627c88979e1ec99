export interface HistogramValues {
  /** Upper bounds, included; above the last one nothing is told apart. */
  bounds: readonly number[]
  /** One more than bounds, not cumulative. */
  counts: readonly number[]
  sum: number
}

export type Histogram = ReturnType<typeof createHistogram>

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
