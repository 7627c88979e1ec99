import type { Standing } from '../../../domain/ledger/facts/fact.ts'
import { splitSaleKey } from '../../../domain/ledger/facts/same-sale.ts'
import { payloadOrNull } from '../../../domain/queue/event.ts'
import { codeOf, type SearchKey } from '../../../domain/queue/search-keys.ts'
import { RetryLaterError } from '../../../domain/values/errors.ts'
import { text } from '../../../domain/values/field.ts'
import type { SearchIndex } from '../../../inbox/search-index.ts'
import { partsOf } from '../../../lib/parts.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import type { Found } from '../../../store/arrival.ts'
import type { Store } from '../../../store/store.ts'
import { isTelling } from './by-identity.ts'
import { ReceiptFact } from './receipt-fact.ts'
import type { ListedFact } from './road.ts'

interface Options {
  /** All facts of the day, those that are not judged among them. */
  listed: readonly ListedFact[]
  kinds: readonly string[]
  lag: number
  store: Pick<Store, 'find' | 'bodies'>
  index: Pick<SearchIndex, 'catchUp'>
}

/** Receipts that are looked for at once: each is a value more for each piece of the index, and a question has room for some ten thousands. */
const AT_ONCE = 25

/** Events of each that are looked at, the newest first: tills of several stores may have one number, and begin their receipts again. */
const EACH = 200

/** Bodies that are read at once. */
const BODIES = 50

/** How long the index of what events say may catch up (milliseconds). */
const PATIENCE = 5_000

/**
 * Standings of facts, where those that no event has told of by their identity are looked for by their receipts: the store may have been
 * called otherwise when they were sold. Throws a RetryLaterError about the day alone where some events cannot be found yet.
 */
export async function underOtherNames(
  standings: readonly Standing[],
  facts: readonly ListedFact[],
  { listed, kinds, lag, store, index }: Options,
): Promise<Standing[]> {
  const untold = facts.flatMap((fact, nth) =>
    standings[nth] === 'untold' && fact instanceof ReceiptFact ? [{ fact, nth }] : [],
  )
  const all = [...standings]
  if (untold.length === 0) return all
  await reachAll()
  const owners = await ownersOf(
    listed,
    untold.map(({ fact }) => fact),
  )
  for (const some of partsOf(untold, AT_ONCE)) {
    const found = Map.groupBy(await eventsOf(some.map(({ fact }) => keyOf(fact))), ({ key }) => key.value)
    const candidates = some.flatMap(({ fact, nth }) =>
      (found.get(keyOf(fact).value) ?? []).flatMap(({ event }) =>
        event.identity !== null && fact.isOfReceipt(event.identity)
          ? [{ fact, nth, event, identity: event.identity }]
          : [],
      ),
    )
    for (const part of partsOf(candidates, BODIES)) {
      const bodies = new Map((await store.bodies(part.map(({ event }) => event.id))).map(({ id, body }) => [id, body]))
      for (const { fact, nth, event, identity } of part) {
        const sale = payloadOrNull(bodies.get(event.id) ?? null)
        const said = { at: text(sale, 'createdDateTime'), total: text(sale, 'total') }
        // It tells of the sale that is listed under its own name: tills of two stores may have one number, and sell at once.
        const owner = owners.get(identity)
        if (owner !== undefined && owner !== fact && owner.isSoldAt(said.at)) continue
        if (!fact.isToldAs(identity, said)) continue
        const { subscription, transportKey, receivedAt } = event
        if (isTelling({ subscription, hasKey: transportKey !== null, receivedAt }, fact, lag)) all[nth] = 'told'
        else if (all[nth] === 'untold') all[nth] = 'pulled'
      }
    }
  }
  return all

  async function eventsOf(keys: SearchKey[]): Promise<Found[]> {
    const found = await store.find(keys, keys.length * EACH)
    return found.filter(({ event }) => kinds.includes(event.kind))
  }

  /** What is not in the index yet is not found, and would be taken for untold. */
  async function reachAll(): Promise<void> {
    if (!(await index.catchUp(PATIENCE)))
      throw new RetryLaterError('some events cannot be found by their receipts yet: the search index is behind', {
        code: 'facts-incomplete',
        scope: 'item',
      })
  }
}

/** The listed sales that share POS, receipt and day with one that nobody told of, by the identities that their own events have. */
async function ownersOf(
  listed: readonly ListedFact[],
  untold: readonly ReceiptFact[],
): Promise<Map<string, ReceiptFact>> {
  const restOf = (identity: string) => splitSaleKey(identity).rest
  const rests = new Set(untold.flatMap(({ subject, aliases }) => [subject, ...aliases].map(restOf)))
  const owners = new Map<string, ReceiptFact>()
  await eachInSlices(listed, (fact) => {
    if (!(fact instanceof ReceiptFact) || !rests.has(restOf(fact.subject))) return
    for (const identity of [...fact.aliases, fact.subject]) owners.set(identity, fact)
  })
  return owners
}

function keyOf({ receipt }: ReceiptFact): SearchKey {
  return { sort: 'receipt', value: codeOf(receipt) }
}
