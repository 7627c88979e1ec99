import { inStoreTime, settlementDay } from '../../domain/books/settlement.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import { text } from '../../domain/values/field.ts'
import { dayIn } from '../../domain/values/store-time.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { type Mappings, mapped } from '../../payloads/mapping/mapping.ts'
import { readMovement } from '../../payloads/movement.ts'
import { readSale } from '../../payloads/sale.ts'
import { readSettlement } from '../../payloads/settlement.ts'
import type { Store } from '../../store/store.ts'

/** Bodies that are read at once. */
const AT_ONCE = 50

/** What events say, as flows read it. Those that are kept no more, or that cannot be read, are left out. */
export async function* payloadsOf(
  store: Pick<Store, 'bodies'>,
  kind: string,
  ids: readonly number[],
  mappings: Mappings,
): AsyncGenerator<{ id: number; payload: unknown }> {
  for (let start = 0; start < ids.length; start += AT_ONCE)
    for (const { id, body } of await store.bodies(ids.slice(start, start + AT_ONCE))) {
      const payload = read(() => mapped(kind, payloadOf({ body }), mappings, evaluate))
      if (payload !== null) yield { id, payload }
    }
}

/** The store's day that a row of the mirror would be of, as the flow `mirror` reads it (`yyyy-mm-dd`); null: it cannot be read. */
export function dayOf(kind: string, payload: unknown, zone: string | null): string | null {
  return read(() => {
    if (kind === 'SalesLinesRead') return text(payload, 'hour')?.slice(0, 10) ?? null
    if (kind === 'POSSettlementCreated' || kind === 'SettlementRead')
      return settlementDay(inStoreTime(readSettlement(payload), zone))
    const at = kind === 'StockMovementCreated' ? readMovement(payload).at : readSale(payload).createdAt
    return at === null ? null : dayIn(at, zone)
  })
}

function read<Value>(from: () => Value): Value | null {
  try {
    return from()
  } catch {
    return null
  }
}
