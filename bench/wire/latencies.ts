export interface Latencies {
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Exact quantiles (nearest rank): every sample is kept. */
export function summarize(samples: Iterable<number>): Latencies {
  const sorted = Float64Array.from(samples).sort()
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), maxMs: quantile(sorted, 1) }
}

export function median(values: number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}
