import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import type { Learnt } from '../../domain/people/erasing/begun.ts'
import { addTo, meetsAny, sizeOf } from '../../domain/people/erasing/identities.ts'
import { createJoining } from '../../domain/people/erasing/joining.ts'
import type { Person } from '../../domain/people/erasing/person.ts'
import {
  type Identities,
  identitiesOf,
  type PersonNode,
  personNodesOf,
} from '../../domain/people/erasing/person-nodes.ts'
import { isPersonsKind } from '../../domain/people/erasing/personal-fields.ts'
import type { PersonalSort } from '../../domain/people/erasing/personal-names.ts'
import { isPseudonymous } from '../../domain/people/erasing/pseudonym.ts'
import { sureTexts } from '../../domain/people/erasing/rewriting.ts'
import { sharedIds } from '../../domain/people/erasing/shared-ids.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { SearchKey } from '../../domain/queue/search-keys.ts'
import { counted } from '../../domain/values/counted.ts'
import { UserError } from '../../domain/values/errors.ts'
import { partsOf } from '../../lib/parts.ts'
import type { Found } from '../../store/arrival.ts'
import type { PlaceValue } from '../../store/people/personal-row.ts'
import { placeOf } from '../../store/people/places.ts'
import type { EventRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { searchKeysOfPerson } from './asked.ts'
import { nodesOfMirror } from './mirrored.ts'

/** A person, and the events that speak of them. */
export interface Known {
  person: Person
  events: EventRow[]
  /** The events among these in which somebody stands as well who shares something with them, by which they are found there. */
  besideOthers: number[]
  /** By what they were asked for, and the ids that many have. */
  asked: Identities
  shared: ReadonlySet<string>
  /** Random words of erasures of theirs that have not ended, the newest last. */
  begun: readonly string[]
  /** Events speak of them that no such erasure knew: systems may have been told of them since. */
  isBack: boolean
}

/** The most events that are looked at for one key. */
const MOST = 5_000

/** How many bodies are read at once. */
const PAGE = 100

const BODY = placeOf('payloads').columns.indexOf('body')

/** Nobody has so many addresses or first names, besides somebody whose address or id a till uses for everybody. */
const MOST_OF_ONE = 20

/** The store in which somebody is looked for. */
export type Looked = Pick<Store, 'find' | 'bodies' | 'findCustomers' | 'personalPage' | 'events'>

/** How somebody is looked for. */
interface Looking {
  /** What an erasure of theirs knew that has not ended. */
  learnt?: Learnt | null
  /** In all payloads as well, which takes minutes: the index does not know what was indexed before it knew a field, nor large payloads. */
  everywhere?: boolean
}

/**
 * Finds who somebody is, from what rows say of them: each new address or number is looked for in its turn. Throws a UserError where
 * that leads to more than can be one person.
 */
export async function lookForPerson(
  store: Looked,
  askedNow: Identities,
  { learnt = null, everywhere = false }: Looking = {},
): Promise<Known> {
  const asked = { ...askedNow }
  if (learnt) addTo(asked, learnt.asked)
  let shared: ReadonlySet<string> = new Set(learnt?.shared)
  let joining = createJoining(asked, shared, learnt)
  const nodes = new Map<number, { row: EventRow; nodes: PersonNode[] }>()
  const records: PersonNode[] = []
  const byKey: { row: EventRow; key: SearchKey }[] = []
  let own = new Map<number, EventRow>()
  const looked = new Set<string>()
  let isMirrorRead = false
  // By how much the person was told when all payloads were read.
  let readBy = 0
  for (;;) {
    const keys = searchKeysOfPerson(joining.own).filter(({ sort, value }) => !looked.has(`${sort} ${value}`))
    if (keys.length === 0) {
      const person = joining.person()
      if (everywhere && readBy < sizeOf(joining.own)) {
        readBy = sizeOf(joining.own)
        await readAll(sureTexts(person))
        joinAll()
        requireOnePerson(joining)
        continue
      }
      if (person.values.length > 0 || isMirrorRead)
        return {
          ...{ person, events: [...own.values()], besideOthers: besideOthers(), asked, shared },
          ...{ begun: [], isBack: false },
        }
      // Where payloads have gone, only the mirror may say who it is. It is read as a whole for it.
      isMirrorRead = true
      records.push(...(await nodesOfMirror(store, joining.own)))
    }
    for (const { sort, value } of keys) looked.add(`${sort} ${value}`)
    const there = keys.length === 0 ? [] : await store.find(keys, MOST)
    const found = there.map(({ event }) => event).filter(({ id }) => !nodes.has(id))
    for (const rows of partsOf(found, PAGE)) {
      const bodies = new Map((await store.bodies(rows.map(({ id }) => id))).map(({ id, body }) => [id, body]))
      for (const row of rows) {
        const body = bodies.get(row.id) ?? null
        nodes.set(row.id, { row, nodes: personNodesOf(row.kind, payloadOrNull(body)) })
        const key = body === null || isPseudonymous(Buffer.from(body).toString()) ? keyOfPerson(row, there) : null
        if (key !== null) byKey.push({ row, key })
      }
    }
    records.push(...(await directoryNodes(store, joining.own)))
    joinAll()
    requireOnePerson(joining)
  }

  /** The events whose payloads say one of these texts, and which no key led to. */
  async function readAll(saying: readonly string[]): Promise<void> {
    for (let after: number | null = 0; after !== null && saying.length > 0; ) {
      const page = await store.personalPage({ place: 'payloads', saying, after })
      for (const { event, values } of page.rows) {
        const [row] = event === null || nodes.has(event) ? [] : await store.events({ id: event })
        if (row) nodes.set(row.id, { row, nodes: personNodesOf(row.kind, payloadOrNull(values[BODY] as Uint8Array)) })
      }
      after = page.next
    }
  }

  function besideOthers(): number[] {
    const isBeside = (node: PersonNode) => joining.isOfAnother(node) && meetsAny(identitiesOf(node), joining.own)
    return [...own.keys()].filter((id) => nodes.get(id)?.nodes.some(isBeside))
  }

  /** Anew, since an id may turn out to be many people's; until nothing more is the person's: who is known better may be known again. */
  function joinAll(): void {
    const all = [...records, ...[...nodes.values()].flatMap((one) => one.nodes)]
    shared = new Set([...(learnt?.shared ?? []), ...sharedIds(all)])
    const said = searchKeysOfPerson({ customerIds: [...shared], emails: [], phones: [] }).map(({ value }) => value)
    joining = createJoining(asked, shared, learnt)
    own = new Map(byKey.flatMap(({ row, key }) => (said.includes(key.value) ? [] : [[row.id, row]])))
    for (let known = -1; known !== sizeOf(joining.own); ) {
      known = sizeOf(joining.own)
      for (const one of records) joining.join(one)
      for (const { row, nodes: its } of nodes.values()) if (its.filter(joining.join).length > 0) own.set(row.id, row)
    }
  }
}

function requireOnePerson({ own, firstNames }: ReturnType<typeof createJoining>): void {
  const [addresses, names] = [own.emails.length, firstNames()]
  if (addresses <= MOST_OF_ONE && names <= MOST_OF_ONE) return
  throw new UserError(
    `who: it leads to ${counted(addresses, 'e-mail address', 'e-mail addresses')} and ${counted(names, 'first name')}, which are hardly one person’s. An id or address among them may be one that a till uses for everybody: ask by an address or id that is theirs alone.`,
  )
}

/**
 * Keys alone say whose an event is whose payload is not kept any more, or says a pseudonym: an erasure that was cut off took its
 * person out of it, and not yet out of the index. Numbers are shared, and ids are other things' as well.
 */
function keyOfPerson(row: EventRow, found: readonly Found[]): SearchKey | null {
  const key = found.find(({ event }) => event.id === row.id)?.key
  return key?.sort === 'email' || (key?.sort === 'id' && isPersonsKind(row.kind)) ? key : null
}

async function directoryNodes(
  store: Pick<Store, 'findCustomers'>,
  { emails, phones }: Identities,
): Promise<PersonNode[]> {
  const queries = [
    ...emails.map((email) => ({ type: 'email' as const, email })),
    ...phones.map((phone) => ({ type: 'phone' as const, numbers: [phone], typed: phone })),
  ]
  return (await Promise.all(queries.map((query) => store.findCustomers(query)))).flat().map(nodeOf)
}

const SORTS: Partial<Record<keyof CustomerRecord, PersonalSort>> = {
  customerId: 'customer',
  extId: 'customer',
  email: 'email',
  phone: 'phone',
  firstName: 'name',
  lastName: 'name',
  companyName: 'name',
  address: 'address',
  postalCode: 'place',
  city: 'place',
}

/** A record of the directory, as a payload would have it. */
export function nodeOf(record: Partial<CustomerRecord>): PersonNode {
  return {
    values: Object.entries(SORTS).flatMap(([name, sort]) => {
      const value = record[name as keyof CustomerRecord]
      return value ? [{ name, sort, value }] : []
    }),
  }
}

/** A row of the directory, as a payload would have it. */
export function nodeOfRow(values: readonly PlaceValue[]): PersonNode {
  const { columns } = placeOf('customers')
  return nodeOf(Object.fromEntries(columns.map((name, index) => [fieldOf(name), textOf(values[index])])))
}

function textOf(value: PlaceValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** A column of the directory, as the field of its record is called. */
function fieldOf(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
