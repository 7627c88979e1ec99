import type { OwedThere, Performed, Witnessed } from './witnessed.ts'

/** The name of an effect at its destination. */
export function nameOfEffect({ destination, key }: Pick<Performed, 'destination' | 'key'>): string {
  return `${destination} ${key}`
}

/**
 * Things whose effects came in another order than their events were taken. An effect counts when it first happened: one that is
 * repeated under its key comes late, and changes nothing.
 */
export function outOfOrder({ owed, performed }: Pick<Witnessed, 'owed' | 'performed'>) {
  const byName = new Map(owed.map((one) => [nameOfEffect(one), one]))
  const newest = new Map<string, number>()
  const seen = new Set<string>()
  const wrong: { destination: string; entity: string; event: number }[] = []
  for (const effect of performed) {
    const name = nameOfEffect(effect)
    const delivery = byName.get(name)
    if (delivery === undefined || delivery.entity === null || seen.has(name)) continue
    seen.add(name)
    const { destination, entity, event } = delivery
    const line = lineOf(delivery)
    const last = newest.get(line) ?? 0
    if (event < last) wrong.push({ destination, entity, event })
    newest.set(line, Math.max(event, last))
  }
  return { things: newest.size, wrong }
}

/** Order holds within a lane. */
function lineOf({ destination, urgency, entity }: OwedThere): string {
  return JSON.stringify([destination, urgency, entity])
}
