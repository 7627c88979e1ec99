import { payloadOf } from '../domain/queue/event.ts'
import { text } from '../domain/values/field.ts'
import { dayIn } from '../domain/values/store-time.ts'
import { evaluate } from '../lib/jsonata.ts'
import { partsOf } from '../lib/parts.ts'
import { shapeOf } from '../payloads/known/kinds.ts'
import { type Mappings, mapped } from '../payloads/mapping/mapping.ts'
import { fieldsOf } from '../payloads/read-field.ts'
import type { Store } from '../store/store.ts'

/** Bodies that are read at once. */
const AT_ONCE = 50

/** Payloads of events, as flows read them. Those that are kept no more, or that cannot be read, are left out. */
export async function* payloadsOf(
  store: Pick<Store, 'bodies'>,
  kind: string,
  ids: readonly number[],
  mappings: Mappings,
): AsyncGenerator<{ id: number; payload: unknown }> {
  for (const some of partsOf(ids, AT_ONCE))
    for (const { id, subscription, body } of await store.bodies(some)) {
      const payload = readOrNull(() => mapped({ kind, subscription }, payloadOf({ body }), mappings, evaluate))
      if (payload !== null) yield { id, payload }
    }
}

/** The store's day that a row of the mirror would be of (`yyyy-mm-dd`), whatever else is unreadable; null: it cannot be read. */
export function dayOf(kind: string, payload: unknown, zone: string | null): string | null {
  if (kind === 'SalesLinesRead') return text(payload, 'hour')?.slice(0, 10) ?? null
  const shape = shapeOf(kind)
  if (!shape) return null
  const read = fieldsOf(shape, payload)
  const name = DAYS.find((one) => Object.hasOwn(shape.fields, one) && read.text(one) !== null)
  const at = name === undefined ? null : read.text(name)
  return at === null ? null : readOrNull(() => dayIn(at, zone))
}

/** The fields that say the day: of a settlement that of the last sale in it, else when it was made. */
const DAYS = ['to', 'settledAt', 'createdAt', 'at'] as const

function readOrNull<Value>(from: () => Value): Value | null {
  try {
    return from()
  } catch {
    return null
  }
}
