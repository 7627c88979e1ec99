import type { AdminContext, Outside } from '../admin/context.ts'
import {
  type Archive,
  type ArchivedFile,
  archivedBody,
  expiryOf,
  readArchived,
  readManifest,
} from '../archive/archive.ts'
import { isObject, personNodesOf } from '../domain/privacy/person-nodes.ts'
import type { NotFollowed, Person } from '../domain/privacy/resolution.ts'
import { type Erasing, handedOut, pseudonymOf, rewriteJson } from '../domain/privacy/rewriting.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant } from '../domain/values/instant.ts'
import { maskedAddress, maskedId, pluralize, someOf } from '../domain/values/text.ts'
import { forgetPerson } from '../flows/customers.ts'
import { type Files, isFault } from '../folders/transport.ts'
import { chunksOf } from '../lib/collections.ts'
import { parseWithIds } from '../lib/json.ts'
import { eachInSlices } from '../lib/semaphore.ts'
import { type PersonalTableName, personalTable } from '../storage/personal-places.ts'
import type { Storage } from '../storage/storage.ts'
import { bodiesById, eventsOnLegalHold } from '../storage/walk-pages.ts'
import { countRows, type Erased, erasingOf, JSON_COLUMNS, openDeliveries, personalRowChanges } from './erase.ts'
import { type NotifiedSystem, notifiedSystems } from './notices.ts'
import type { DataSubject } from './person.ts'

export interface FoundPerson {
  customerIds: string[]
  emails: string[]
  phones: string[]
  touched: Erased['touched']
  events: number
  open: number[]
  /** Under a legal hold: nothing is erased. */
  held: number[]
  files: FilesOutside
  /** Systems that know the person. */
  notified: NotifiedSystem[]
  notFollowed: NotFollowed[]
  isAmbiguous: boolean
  /** Pseudonym of an unfinished erasure. */
  begun: string | null
}

export async function reportOn(
  known: DataSubject,
  { storage, outside, carriesOut }: Pick<AdminContext, 'storage' | 'outside' | 'carriesOut'>,
): Promise<FoundPerson> {
  const { customerIds, extIds, emails, phones, notFollowed, isAmbiguous } = known.person
  const begun = known.begun.at(-1)
  const who = erasingOf(known)
  const own = new Set(known.events.map(({ id }) => id))
  return {
    customerIds: [...customerIds, ...extIds],
    emails,
    phones,
    touched: await countRows(storage, known, who),
    events: own.size,
    open: (await openDeliveries(storage, known)).map(({ id }) => id),
    held: (await eventsOnLegalHold(storage)).filter((event) => own.has(event)),
    files: await filesOutside(outside, who, own),
    notified: await notifiedSystems(storage, known, (destination) => carriesOut(destination, forgetPerson)),
    notFollowed,
    isAmbiguous,
    begun: begun === undefined ? null : pseudonymOf(begun),
  }
}

/** Throws a UserError. */
export function requireFree(held: readonly number[]): void {
  if (held.length === 0) return
  throw new UserError(
    `Under a legal hold, and not to be erased: ${held.length === 1 ? 'event' : 'events'} ${someOf(held, 20)}. "tillbridge retention holds" says why; erase once they are let go ("tillbridge retention unhold <event>").`,
  )
}

/** Throws a UserError. */
export function requireOne({ person }: DataSubject): void {
  if (person.isAmbiguous)
    throw new UserError(
      'who: several people have this address, number or id. Say whom by an e-mail address or a customer id that is theirs alone, or say who they are the same as (--also): "tillbridge people find" shows them.',
    )
}

/** An e-mail address identifies; digits may be anything's. */
export function isStored({ person, events }: DataSubject, rows: number): boolean {
  return events.length > 0 || person.values.length > 0 || (rows > 0 && person.emails.length > 0)
}

/** Throws a UserError. */
export function requireStored(known: DataSubject, rows: number): void {
  if (!isStored(known, rows))
    throw new UserError(
      'who: no data of this person is indexed (--everywhere searches all payloads). If an erasure of theirs was not answered: "tillbridge audit list" says whether it was completed, and the hub that did it keeps its proof for a day, or until it restarts; the same command asks for it again.',
    )
}

export function masked(found: FoundPerson): FoundPerson {
  const maskedOther = ({ shared, other, why }: NotFollowed) => {
    return { shared: maskedAddress(shared), other: maskedId(other), why }
  }
  return {
    ...found,
    customerIds: found.customerIds.map(maskedId),
    notified: found.notified.map(maskedSystem),
    emails: found.emails.map(maskedAddress),
    phones: found.phones.map(maskedAddress),
    notFollowed: found.notFollowed.map(maskedOther),
  }
}

/** Ids may be addresses. */
export function maskedSystem(system: NotifiedSystem): NotifiedSystem {
  return { ...system, theirIds: system.theirIds.map(maskedId) }
}

/** Files that mention the person, and stay for an operator. */
interface FilesOutside {
  archived: { file: string; expires: string }[]
  waiting: string[]
  unread: string[]
}

/** (ms) */
const FOLDER_TIMEOUT_MS = 60_000
const SEARCH_TIMEOUT_MS = 180_000

async function filesOutside(
  { archive, folders }: Outside,
  who: Erasing,
  events: ReadonlySet<number>,
): Promise<FilesOutside> {
  const found: FilesOutside = { archived: [], waiting: [], unread: [] }
  if (archive !== null) await lookInArchive(archive, who, events, found)
  for (const search of folders) {
    const { saying, unread } = await search(who.keys, AbortSignal.timeout(FOLDER_TIMEOUT_MS))
    found.waiting.push(...saying)
    found.unread.push(...unread)
  }
  return found
}

/** Reports what could not be searched: a file, or all that was left. */
async function lookInArchive(
  archive: Archive,
  who: Erasing,
  events: ReadonlySet<number>,
  { archived, unread }: FilesOutside,
): Promise<void> {
  const { where, keep } = archive
  let left: number | null = null
  try {
    await archive.use(AbortSignal.timeout(SEARCH_TIMEOUT_MS), async (files) => {
      const all = await readManifest(files)
      left = all.length
      for (const one of all) {
        const file = `${where}/${one.file}`
        const speaks = await speaksIn(files, one, who, events)
        if (speaks === null) unread.push(file)
        else if (speaks) archived.push({ file, expires: formatInstant(expiryOf(one, keep)).slice(0, 10) })
        left -= 1
      }
    })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    unread.push(left === null ? where : `${where} (${pluralize(left, 'file')} of it)`)
  }
}

/** Null: unreadable. */
async function speaksIn(
  files: Files,
  file: ArchivedFile,
  who: Erasing,
  events: ReadonlySet<number>,
): Promise<boolean | null> {
  const says = (text: string, kind: string) => rewriteJson(text, kind, who, false) !== text
  try {
    let speaks = false
    await eachInSlices(
      await readArchived(files, file),
      (event) => {
        const { body: _, ...rest } = event
        const body = archivedBody(event)?.toString('utf8') ?? ''
        speaks ||= events.has(event.id) || says(JSON.stringify(rest), event.kind) || says(body, event.kind)
      },
      1,
    )
    return speaks
  } catch (error) {
    if (error instanceof UserError || isFault(error, 'denied', 'failed')) return null
    throw error
  }
}

export function caveatsOf({ archived, waiting, unread }: FilesOutside): string[] {
  return [
    ...archived.map(
      ({ file, expires }) => `${file} of the archive has events of the person until it expires on ${expires}.`,
    ),
    ...waiting.map((file) => `${file} speaks of the person, and stays as it is: see that it is taken, and deleted.`),
    ...unread.map((file) => `${file} could not be looked through.`),
  ]
}

export interface Exported {
  customerIds: string[]
  emails: string[]
  phones: string[]
  events: ExportedEvent[]
  /** Without other people. */
  rows: { table: PersonalTableName; says: Record<string, string> }[]
}

/** `payload`: without other people; null: pruned. */
interface ExportedEvent {
  id: number
  kind: string
  receivedAt: string
  says: { field: string; value: string }[]
  payload: unknown
}

const EVENTS_PER_READ = 100

/** Without other people. */
export async function exportPerson(
  storage: Pick<Storage, 'bodies' | 'personalPage' | 'events'>,
  known: DataSubject,
): Promise<Exported> {
  const { person, events } = known
  const { emails, phones } = person
  const customerIds = [...person.customerIds, ...person.extIds]
  const exported: Exported = { customerIds, emails, phones, events: [], rows: [] }
  for (const page of chunksOf(events, EVENTS_PER_READ)) {
    const bodies = await bodiesById(storage, page)
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
  for await (const rows of personalRowChanges(storage, who, kinds)) {
    for (const { place, values } of rows) {
      if (place === 'payloads') continue
      const said = personalTable(place).columns.flatMap((name, index) => {
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
