import type { NotFollowed } from '../../domain/people/erasing/resolution.ts'
import { pseudonymOf } from '../../domain/people/erasing/rewriting.ts'
import { UserError } from '../../domain/values/errors.ts'
import { maskedAddress, maskedId } from '../../domain/values/text.ts'
import { heldEvents } from '../../store/retention/holding.ts'
import type { Store } from '../../store/store.ts'
import { countRows, type Erased, erasingOf, openDeliveries } from './erase.ts'
import type { Known } from './look.ts'
import { type Telling, type ToldSystem, toldSystems } from './notices.ts'
import { type FilesOutside, filesOutside, type Outside } from './outside.ts'

/** Who a person is, where they stand, and what was not followed. */
export interface FoundPerson {
  /** Of the platform, then of own systems. */
  customerIds: string[]
  emails: string[]
  phones: string[]
  touched: Erased['touched']
  events: number
  /** Deliveries that are still owed. */
  open: number[]
  /** Events under a legal hold: while there are any, nothing is erased. */
  held: number[]
  /** Files of this machine that speak of them; nothing changes these. */
  files: FilesOutside
  /** Systems that know them, and have to forget them, too. */
  told: ToldSystem[]
  notFollowed: NotFollowed[]
  isAmbiguous: boolean
  /** The pseudonym that stands for them since an erasure that was cut off, or left an event that was held; null: there is none. */
  begun: string | null
}

interface Options {
  store: Store
  /** Where files are looked through. */
  outside: Outside
  telling: Pick<Telling, 'canErase'>
}

/** Puts together where a person stands; nothing is changed. */
export async function tellOf(known: Known, { store, outside, telling }: Options): Promise<FoundPerson> {
  const { customerIds, extIds, emails, phones, notFollowed, isAmbiguous } = known.person
  const begun = known.begun.at(-1)
  const who = erasingOf(known)
  const touched = await countRows({ store }, known, who)
  const open = (await openDeliveries(store, known)).map(({ id }) => id)
  const held = await heldOf(store, known)
  const files = await filesOutside(outside, who, new Set(known.events.map(({ id }) => id)))
  const told = await toldSystems(store, known, telling.canErase)
  return {
    customerIds: [...customerIds, ...extIds],
    emails,
    phones,
    touched,
    events: known.events.length,
    open,
    held,
    files,
    told,
    notFollowed,
    isAmbiguous,
    begun: begun === undefined ? null : pseudonymOf(begun),
  }
}

/** The person's events that are under a legal hold, in their order. */
async function heldOf(store: Pick<Store, 'legalHolds'>, { events }: Known): Promise<number[]> {
  const own = new Set(events.map(({ id }) => id))
  return (await heldEvents(store)).filter((event) => own.has(event))
}

/** Events under a legal hold stay as they are. Throws a UserError that names them. */
export function requireFree(held: readonly number[]): void {
  if (held.length === 0) return
  const [some, more] = [held.slice(0, 20), held.length - 20]
  throw new UserError(
    `Under a legal hold, and not to be erased: ${held.length === 1 ? 'event' : 'events'} ${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}. "tillbridge retention holds" says why; erase once they are let go ("tillbridge retention unhold <event>").`,
  )
}

/** Throws a UserError where nobody can say who is meant. */
export function requireOne({ person }: Known): void {
  if (person.isAmbiguous)
    throw new UserError(
      'who: several people have this address, number or id. Say whom by an e-mail address or a customer id that is theirs alone, or say who they are the same as (--also): "tillbridge people find" shows them.',
    )
}

/** Whether anything is kept of them. A row that says an address is theirs; one that says digits may be anything's. */
export function isKept({ person, events }: Known, rows: number): boolean {
  return events.length > 0 || person.values.length > 0 || (rows > 0 && person.emails.length > 0)
}

/** Throws a UserError where nothing is. */
export function requireKept(known: Known, rows: number): void {
  if (!isKept(known, rows))
    throw new UserError(
      'who: no data of this person is indexed (--everywhere searches all payloads). If an erasure of theirs was not answered: "tillbridge audit list" says whether it was completed, and the hub that did it keeps its proof for a day, or until it restarts; the same command asks for it again.',
    )
}

/** The same, as it is shown to whoever did not ask to see addresses. */
export function masked(found: FoundPerson): FoundPerson {
  return {
    ...found,
    customerIds: found.customerIds.map(maskedId),
    told: found.told.map(maskedSystem),
    emails: found.emails.map(maskedAddress),
    phones: found.phones.map(maskedAddress),
    notFollowed: found.notFollowed.map(({ shared, other, why }) => ({
      shared: maskedAddress(shared),
      other: maskedId(other),
      why,
    })),
  }
}

/** The same of a system: its ids may be addresses. */
export function maskedSystem(told: ToldSystem): ToldSystem {
  return { ...told, theirIds: told.theirIds.map(maskedId) }
}
