const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Upper edges of the buckets that latenesses are counted in (milliseconds); what is later is counted in the last one. */
const EDGES = [60 * SECOND, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 20 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR] as const

/** The lag until enough latenesses have been seen to learn from. */
export const UNLEARNED = 15 * MINUTE
const ENOUGH = 100

/** How many are remembered; then each counts half, so that what was once does not hold for ever. */
const MOST = 100_000

/** How many latenesses were seen, by bucket. */
type Latenesses = readonly number[]

export const NO_LATENESSES: Latenesses = EDGES.map(() => 0)

/** The counts with one more: how long after it arose an event was seen (milliseconds). A platform whose clock is ahead is not late. */
export function addLateness(counts: Latenesses, lateness: number): number[] {
  const bucket = EDGES.findIndex((edge) => lateness <= edge)
  const index = bucket < 0 ? EDGES.length - 1 : bucket
  const sum = counts.reduce((a, b) => a + b, 0)
  return EDGES.map((_, nth) => {
    const count = (counts[nth] ?? 0) + (nth === index ? 1 : 0)
    return sum < MOST ? count : Math.ceil(count / 2)
  })
}

/** How far behind now the bound of a sweep is (milliseconds): 999 of 1,000 events were seen sooner after they arose; at least 60 s. */
export function lagOf(counts: Latenesses): number {
  const sum = counts.reduce((a, b) => a + b, 0)
  if (sum < ENOUGH) return UNLEARNED
  let left = Math.ceil(sum * 0.999)
  for (const [nth, edge] of EDGES.entries()) {
    left -= counts[nth] ?? 0
    if (left <= 0) return edge
  }
  return EDGES[EDGES.length - 1] ?? UNLEARNED
}
