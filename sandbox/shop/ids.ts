/** WordPress numbers orders, products, lines, notes and meta from a few counters; here there is one for all. */
export type NextId = () => number

export function createIds(first = 101): NextId {
  let next = first
  return () => next++
}
