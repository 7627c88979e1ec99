/** (s) */
const ACCEPT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const ATTEMPT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const DELIVERY = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600, 14_400]

interface DestinationTimings {
  attempts: Histogram
  deliveries: Histogram
  outcomes: Record<string, number>
}

export type Timings = ReturnType<typeof createTimings>

/** Durations and outcomes since the process started, for /metrics. */
export function createTimings() {
  const accept = createHistogram(ACCEPT)
  const byDestination = new Map<string, DestinationTimings>()

  function added(destination: string): DestinationTimings {
    const made = { attempts: createHistogram(ATTEMPT), deliveries: createHistogram(DELIVERY), outcomes: {} }
    byDestination.set(destination, made)
    return made
  }

  return {
    /** A webhook was answered with 2xx (ms since its headers came). */
    accepted: accept.observe,

    /** `age`: since the event came (ms). */
    attempted(destination: string, { outcome, ms, age }: { outcome: string; ms: number; age: number }): void {
      const { attempts, deliveries, outcomes } = byDestination.get(destination) ?? added(destination)
      attempts.observe(ms)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      if (outcome === 'delivered') deliveries.observe(age)
    },

    read: () => ({
      accept: accept.values(),
      destinations: [...byDestination].map(([destination, { attempts, deliveries, outcomes }]) => {
        return { destination, attempts: attempts.values(), deliveries: deliveries.values(), outcomes: { ...outcomes } }
      }),
    }),
  }
}

export interface HistogramValues {
  /** Upper bounds (s), included; what lies above the last one is one count. */
  bounds: readonly number[]
  /** One more than bounds, not cumulative. */
  counts: readonly number[]
  sum: number
}

type Histogram = ReturnType<typeof createHistogram>

/** The value that this part of all lies below, as far as the bounds tell; null: nothing was counted. */
export function quantileOf({ bounds, counts }: HistogramValues, part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let left = part * total
  for (const [at, count] of counts.entries()) {
    const from = bounds[at - 1] ?? 0
    if (count > 0 && left <= count) return from + ((bounds[at] ?? from) - from) * (left / count)
    left -= count
  }
  return null
}

/** Counts milliseconds by fixed bounds, which are seconds as in metrics. `observe` is on the path of each webhook: it allocates nothing. */
export function createHistogram(bounds: readonly number[]) {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    /** Below zero, by a clock that was set, counts as zero. */
    observe(ms: number): void {
      const value = ms / 1_000
      let at = 0
      while (value > (bounds[at] ?? Number.POSITIVE_INFINITY)) at += 1
      counts[at] = (counts[at] ?? 0) + 1
      if (value > 0) sum += value
    },
    values: (): HistogramValues => ({ bounds, counts: [...counts], sum }),
  }
}
