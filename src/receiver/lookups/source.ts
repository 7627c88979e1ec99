import type { FoundOrder } from '../../domain/orders/found-order.ts'
import type { Link } from '../../domain/orders/link.ts'
import { idsOfOrder, sortOfLink } from '../../domain/orders/order-link.ts'
import type { CustomerQuery } from '../../domain/people/customer-query.ts'
import { type CustomerRecord, extIdOf } from '../../domain/people/customer-record.ts'
import { type Misfit, MisfitError } from '../../domain/queue/misfit.ts'
import { oneOf } from '../../lib/suggest.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Store } from '../../store/store.ts'

/** A system that answers a till's question: what it finds, as long as the signal lets it look. */
export interface Source<Query, Found> {
  /** A destination, or `directory`. */
  name: string
  search(query: Query, question: { signal: AbortSignal }): Promise<Found[]>
}

/** The sources that config asks, in its order; all of them where it does not say. Throws a MisfitError for names that are none. */
export function chooseSources<S extends { name: string }>(
  there: readonly S[],
  ask: readonly string[] | undefined,
  lookup: 'customers' | 'orders',
): readonly S[] {
  const path = ['lookups', lookup]
  const names = there.map(({ name }) => name)
  if (there.length === 0)
    throw new MisfitError([
      {
        path,
        found: 'a lookup that nobody can answer',
        expected: `a destination that can look for ${lookup}, or no lookups.${lookup}`,
      },
    ])
  if (!ask) return there
  const strange = ask.flatMap((name, index): Misfit[] => {
    const expected = `one that can look for ${lookup}: ${oneOf(name, names)}`
    return names.includes(name) ? [] : [{ path: [...path, 'ask', index], expected }]
  })
  if (strange.length > 0) throw new MisfitError(strange)
  return [...new Set(ask)].flatMap((name) => there.find((one) => one.name === name) ?? [])
}

/**
 * The customers of a destination, where it can be asked for them. One that hands its customers over itself calls them here
 * what it calls them there.
 */
export function customersOf(
  name: string,
  { customers }: Pick<Ports, 'customers'>,
  handsOver: boolean,
): Source<CustomerQuery, CustomerRecord>[] {
  if (!customers?.search) return []
  const search = customers.search.bind(customers)
  if (!handsOver) return [{ name, search }]
  return [
    {
      name,
      async search(query, question) {
        const found = await search(query, question)
        return found.map((one) => (one?.extId ? { ...one, extId: extIdOf(name, one.extId) } : one))
      },
    },
  ]
}

/**
 * The orders of a destination, where it can be asked for them: also by what it is known to call them itself. People type small letters
 * and a # before the number; what is asked for next is only asked for where what was typed is not there.
 */
export function ordersOf(
  name: string,
  { orders }: Pick<Ports, 'orders'>,
  links: Store['links'],
): Source<string, FoundOrder>[] {
  if (!orders?.search) return []
  const search = orders.search.bind(orders)
  return [
    {
      name,
      async search(number, { signal }) {
        const spellings = spellingsOf(number)
        const written = [...spellings, ...spellings.map((spelling) => `#${spelling}`)]
        const known = await links(name, 'order', written.flatMap(idsOfOrder))
        // The customer, and the till, know it by the number that it was linked by.
        for (const spelling of written) {
          const ids = idsOfOrder(spelling)
          const theirs = known.filter(({ id }) => ids.includes(id)).map(({ theirId }) => theirId)
          if (theirs.length === 0) continue
          const found = await search(spelling, { signal, theirIds: [...new Set(theirs)] })
          return found.map((order) => knownAs(order, known))
        }
        for (const spelling of spellings) {
          const found = await search(spelling, { signal })
          if (found.length > 0) return found
        }
        return []
      },
    },
  ]
}

/** One that a till placed has an id by which it is told from a web order of its number. */
function knownAs(order: FoundOrder, links: readonly Link[]): FoundOrder {
  const ofTill = links.find(({ id, theirId }) => sortOfLink(id) !== 'web' && theirId === order.theirId)
  return ofTill ? { ...order, tillId: ofTill.id } : order
}

/** As it was typed, and as it may be meant; each once. */
function spellingsOf(number: string): string[] {
  const bare = number.replace(/^#\s*/, '')
  return [...new Set([number, bare, bare.toUpperCase()])].filter((spelling) => spelling !== '')
}
