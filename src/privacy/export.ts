import { isObject, personNodesOf } from '../domain/privacy/person-nodes.ts'
import type { Person } from '../domain/privacy/resolution.ts'
import { handedOut } from '../domain/privacy/rewriting.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { partsOf } from '../lib/collections.ts'
import { parseWithIds } from '../lib/json.ts'
import { locationOf, type PlaceName } from '../storage/personal-places.ts'
import type { Storage } from '../storage/storage.ts'
import { erasingOf } from './erase.ts'
import type { Known } from './look.ts'
import { JSON_COLUMNS, ownRows } from './rows.ts'

export interface Exported {
  customerIds: string[]
  emails: string[]
  phones: string[]
  events: ExportedEvent[]
  /** Without other people. */
  rows: { table: PlaceName; says: Record<string, string> }[]
}

/** `payload`: without other people; null: pruned. */
interface ExportedEvent {
  id: number
  kind: string
  receivedAt: string
  says: { field: string; value: string }[]
  payload: unknown
}

const PAGE = 100

/** Without other people. */
export async function exportPerson(
  storage: Pick<Storage, 'bodies' | 'personalPage' | 'events'>,
  known: Known,
): Promise<Exported> {
  const { person, events } = known
  const { emails, phones } = person
  const customerIds = [...person.customerIds, ...person.extIds]
  const exported: Exported = { customerIds, emails, phones, events: [], rows: [] }
  for (const page of partsOf(events, PAGE)) {
    const bodies = new Map((await storage.bodies(page.map(({ id }) => id))).map(({ id, body }) => [id, body]))
    for (const { id, kind, receivedAt } of page) {
      const body = bodies.get(id) ?? null
      const nodes = personNodesOf(kind, payloadOrNull(body)).filter((node) => !person.isOfAnother(node))
      const says = nodes.flatMap(({ values }) => values.map(({ name, value }) => ({ field: name, value })))
      const payload = body === null ? null : readFor(kind, Buffer.from(body).toString(), person.isOfAnother)
      exported.events.push({ id, kind, receivedAt: new Date(receivedAt).toISOString(), says, payload })
    }
  }
  const kinds = new Map(events.map(({ id, kind }) => [id, kind]))
  const who = erasingOf(known)
  for await (const rows of ownRows(storage, who, kinds)) {
    for (const { place, values } of rows) {
      if (place === 'payloads') continue
      const said = locationOf(place).columns.flatMap((name, index) => {
        const value = values[index]
        if (typeof value !== 'string') return []
        return [[name, JSON_COLUMNS.has(name) ? textFor(value, person.isOfAnother) : value] as const]
      })
      exported.rows.push({ table: place, says: Object.fromEntries(said) })
    }
  }
  return exported
}

/** JSON without other people, large numbers as text; other text is unchanged. */
function readFor(kind: string, text: string, isOfAnother: Person['isOfAnother']): unknown {
  try {
    return handedOut(kind, parseWithIds(text), isOfAnother)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function textFor(text: string, isOfAnother: Person['isOfAnother']): string {
  const read = readFor('', text, isOfAnother)
  return isObject(read) ? JSON.stringify(read) : String(read ?? text)
}
