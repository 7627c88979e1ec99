import { type Request, Router } from 'express'
import { z } from 'zod'
import { ArchiveError } from '../../archive/archive-error.ts'
import { type ArchivedErasure, noteErasure, readErasures } from '../../archive/erasures.ts'
import { ArchivedEvent } from '../../archive/read.ts'
import { begunSelection } from '../../domain/people/erasing/begun.ts'
import type { NotFollowed } from '../../domain/people/erasing/person.ts'
import { pseudonymOf } from '../../domain/people/erasing/pseudonym.ts'
import { UserError } from '../../domain/values/errors.ts'
import { maskedAddress, maskedId } from '../../domain/values/masked.ts'
import type { Files } from '../../folders/transport.ts'
import type { SearchIndex } from '../../inbox/search-index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { operatorOf } from '../asking.ts'
import { parse, Reason, requireReason } from '../filters.ts'
import { readAsked } from './asked.ts'
import {
  countRows,
  type Erased,
  erasePerson,
  forgottenOf,
  openDeliveries,
  reasonWithout,
  requireSettled,
} from './erase.ts'
import { keysOfErasure } from './erased-keys.ts'
import { type Exported, exportPerson } from './export.ts'
import { heldOf, requireFree } from './held.ts'
import type { Known } from './look.ts'
import { giveNotice, type NoticeRow, noticeRows, type Telling } from './notices.ts'
import { createOutcomes } from './outcomes.ts'
import { doubtsOf, type FilesOutside, filesOutside, type Outside } from './outside.ts'
import { Proof, proofOf, tokenOf } from './proof.ts'
import { identitiesUnder } from './repeat.ts'
import { type ToldSystem, toldSystems } from './told.ts'
import { learntOf, lookAgain } from './unfinished.ts'
import { withoutForgotten } from './without-forgotten.ts'

interface Options {
  store: Store
  index: Pick<SearchIndex, 'catchUp'>
  countries: readonly string[]
  acts: Acts
  /** Where files are looked through. */
  outside: Outside
  /** How destinations are told to forget somebody. */
  telling: Telling
  clock: Pick<Clock, 'now'>
}

/** Who a person is, where they stand, and what was not followed. */
export interface FoundPerson {
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

/** An erasure as it was asked for, and its outcome. */
export interface ErasedPerson extends FoundPerson {
  dryRun: boolean
  /** The deliveries by which destinations are told to forget them. */
  notices: NoticeRow[]
  /** Null: a dry run. */
  proof: Proof | null
  act: number | null
}

const Who = z.strictObject({
  who: z.string().trim().min(1).max(254),
  also: z.array(z.string().trim().min(1).max(254)).max(50).default([]),
  reason: Reason,
  reveal: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  skipOpen: z.boolean().default(false),
  tell: z.boolean().default(true),
  /** All payloads are looked through as well. */
  everywhere: z.boolean().default(false),
})

const Again = z.strictObject({
  proof: Proof,
  reason: Reason,
  dryRun: z.boolean().default(false),
  skipOpen: z.boolean().default(false),
  /** They were told when it was done first. */
  tell: z.boolean().default(false),
  everywhere: z.boolean().default(false),
})

const Archived = z.strictObject({ events: z.array(ArchivedEvent).max(1_000) })

/** How an erasure is done. `by`: as what the person was named; `token`: of the erasure that is repeated. */
interface How {
  dryRun: boolean
  skipOpen: boolean
  /** Destinations that can forget are told. */
  tell: boolean
  reveal: boolean
  reason: string | null
  by: string
  token: string | null
  /** As it was asked for; null: whoever repeats it has the proof. */
  asked: readonly string[] | null
}

/** How long the index may catch up: what is not in it is not found (milliseconds). */
const PATIENCE = 60_000

/** `/admin/people`: what is kept of one person, all of it to hand out, and nothing of it any more. By POST: a person stands in no address. */
export function createPeopleAdmin({ store, index, countries, acts, outside, telling, clock }: Options): Router {
  const router = Router()
  const erasuresRead = new Map<string, ArchivedErasure[]>()
  const outcomes = createOutcomes<ErasedPerson>(clock)

  router.post('/find', acts.of('people find'), async (request, response) => {
    const { reason, reveal, ...asked } = parse(Who, request.body)
    const known = await look(asked)
    const told = await tell(known)
    const selection = { by: sortOf(asked.who), events: told.events, reveal }
    await acts.note(request, {
      action: 'people find',
      selection,
      reason: reason && reasonWithout(reason, forgottenOf(known)),
    })
    response.json((reveal ? told : masked(told)) satisfies FoundPerson)
  })

  router.post('/export', acts.of('people export'), async (request, response) => {
    const { reason, ...asked } = parse(Who, request.body)
    requireReason({ dryRun: false, reason })
    const known = await look(asked)
    requireOne(known)
    const exported = await exportPerson(store, known)
    requireKept(known, exported.rows.length)
    await acts.note(request, {
      action: 'people export',
      selection: { by: sortOf(asked.who), events: known.events.length },
      reason: reasonWithout(reason ?? '', forgottenOf(known)),
    })
    response.json(exported satisfies Exported)
  })

  router.post('/erase', acts.of('people erase'), async (request, response) => {
    const { who, also, everywhere, reveal, ...how } = parse(Who, request.body)
    requireReason(how)
    const asked = [who, ...also]
    const eraseOne = async () =>
      await erase(request, await look({ who, also, everywhere }), {
        ...how,
        reveal,
        by: sortOf(who),
        token: null,
        asked,
      })
    response.json(how.dryRun ? await eraseOne() : await outcomes.once(asked, eraseOne))
  })

  // On a backup that was restored: the proof tells by hashes whom it was about, and which pseudonym it was.
  router.post('/repeat', acts.of('people erase'), async (request, response) => {
    const { proof, everywhere, ...how } = parse(Again, request.body)
    requireReason(how)
    await caughtUp()
    const asked = await identitiesUnder(store, proof.keys)
    const token = tokenOf(proof)
    const known = await lookAgain(store, asked, { token, everywhere })
    response.json(await erase(request, known, { ...how, reveal: false, by: 'proof', token, asked: null }))
  })
  // For "archive restore", which reads files: only the store's secret tells whom an erasure is of.
  router.post('/archived', async (request, response) => {
    const { events } = parse(Archived, request.body)
    const erasures = await inArchive((files) => readErasures(files, erasuresRead), [])
    const left: ArchivedEvent[] = []
    for (const event of events) left.push(await withoutForgotten(store, event, erasures))
    response.json({ events: left })
  })
  return router

  async function inArchive<Result>(work: (files: Files) => Promise<Result>, without: Result): Promise<Result> {
    return outside.archive === null ? without : await outside.archive.use(AbortSignal.timeout(PATIENCE), work)
  }

  async function look({
    who,
    also,
    everywhere,
  }: Pick<z.output<typeof Who>, 'who' | 'also' | 'everywhere'>): Promise<Known> {
    await caughtUp()
    return await lookAgain(store, readAsked([who, ...also], countries), { everywhere })
  }

  /** Throws a UserError where there are events of before that nobody could find yet. */
  async function caughtUp(): Promise<void> {
    if (await index.catchUp(PATIENCE)) return
    const { behind } = await store.searchReach()
    throw new UserError(
      `${behind} events are not in the index yet: ask again in a while ("tillbridge find" says how far it is).`,
    )
  }

  async function erase(request: Request, known: Known, how: How): Promise<ErasedPerson> {
    const { dryRun, skipOpen, reveal, asked } = how
    requireOne(known)
    const told = await tell(known)
    const rows = Object.keys(told.touched).length
    // Whoever asks again did not hear what came of it.
    const last = dryRun || asked === null || isKept(known, rows) ? null : outcomes.last(asked)
    if (last) return last
    requireKept(known, rows)
    if (dryRun) return { ...(reveal ? told : masked(told)), dryRun, notices: [], proof: null, act: null }
    requireFree(told.held)
    const who = forgottenOf(known, how.token ?? goesOn(known))
    const reason = reasonWithout(how.reason ?? '', who)
    const audit = { by: operatorOf(request), at: clock.now(), reason, dryRun: false }
    const open = await openDeliveries(store, known)
    requireSettled(open, skipOpen)
    // A number has the same key with and without the prefix of its country.
    const keys = [...new Set(await store.hashedKeys(keysOfErasure(known.person)))]
    await noteInArchive({ pseudonym: pseudonymOf(who.token), at: new Date(audit.at).toISOString(), keys })
    for (const { id } of open) await store.skip({ id }, audit)
    const systems = told.told.map((one) => ({ ...one, byHub: one.byHub && how.tell }))
    const notice = await giveNotice(store, telling, known, {
      told: systems,
      pseudonym: pseudonymOf(who.token),
      now: clock.now(),
    })
    // Where it is cut off, the audit says that it was begun, under which pseudonym, and, sealed, what was known by then.
    const begun = begunSelection({ person: pseudonymOf(who.token), by: how.by, begun: true }, learntOf(known))
    await acts.note(request, { action: 'people erase', selection: begun, reason })
    const erased = await erasePerson({ store }, known, who)
    erased.scrubbed?.doubts.push(...doubtsOf(told.files).map((doubt) => reasonWithout(doubt, who)))
    const { touched, pseudonym, events: changed } = erased
    const selection = { person: pseudonym, by: how.by }
    const act = await acts.note(request, { action: 'people erase', selection, reason, changed })
    const notices = await noticeRows(store, notice)
    const proof = proofOf(erased, keys, audit, { told: systems, notices })
    const outcome = { ...masked(told), told: systems, touched, dryRun, notices, proof, act }
    if (asked) outcomes.keep(asked, outcome)
    return outcome
  }

  /** Before anything is erased: what is read from the archive says nothing of the person from now on. */
  async function noteInArchive(erasure: ArchivedErasure): Promise<void> {
    try {
      await inArchive((files) => noteErasure(files, erasure), undefined)
      // One that is repeated stands in the place of the first.
      erasuresRead.clear()
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      throw new UserError(
        `${error.message} An erasure is noted there first, so that nothing is read of the person from it: nothing was erased. Ask again when the archive can be written, or take retention.archive out of the config.`,
        { cause: error },
      )
    }
  }

  async function tell(known: Known): Promise<FoundPerson> {
    const { customerIds, emails, phones, notFollowed, isAmbiguous } = known.person
    const begun = known.begun.at(-1)
    const touched = await countRows({ store }, known, forgottenOf(known))
    const open = (await openDeliveries(store, known)).map(({ id }) => id)
    const held = await heldOf(store, known)
    const files = await filesOutside(outside, forgottenOf(known), new Set(known.events.map(({ id }) => id)))
    const told = await toldSystems(store, known, telling.canErase)
    return {
      customerIds,
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
}

/**
 * The random word under which an erasure goes on that has not ended. Who came back since is forgotten anew: a pseudonym has one notice, and
 * systems that were told of them since need another.
 */
function goesOn({ begun, isBack }: Known): string | undefined {
  return isBack ? undefined : begun.at(-1)
}

/** Throws a UserError where nobody can say who is meant. */
function requireOne({ person }: Known): void {
  if (person.isAmbiguous)
    throw new UserError(
      'who: several people have this address, number or id. Say whom by an e-mail address or a customer id that is theirs alone, or say who they are the same as (--also): "tillbridge people find" shows them.',
    )
}

/** Whether anything is kept of them. A row that says an address is theirs; one that says digits may be anything's. */
function isKept({ person, events }: Known, rows: number): boolean {
  return events.length > 0 || person.values.length > 0 || (rows > 0 && person.emails.length > 0)
}

/** Throws a UserError where nothing is. */
function requireKept(known: Known, rows: number): void {
  if (!isKept(known, rows))
    throw new UserError(
      'who: nothing is kept of them that the index leads to (--everywhere looks through all payloads). If an erasure of theirs was not answered, "tillbridge audit list" says whether it has ended; its proof has the hub that did it, for a day and until it is restarted.',
    )
}

function masked(found: FoundPerson): FoundPerson {
  return {
    ...found,
    customerIds: found.customerIds.map(maskedId),
    told: found.told.map((one) => ({ ...one, theirIds: one.theirIds.map(maskedId) })),
    emails: found.emails.map(maskedAddress),
    phones: found.phones.map(maskedAddress),
    notFollowed: found.notFollowed.map(({ shared, other, why }) => ({
      shared: maskedAddress(shared),
      other: maskedId(other),
      why,
    })),
  }
}

function sortOf(who: string): string {
  if (who.includes('@')) return 'email'
  return /^\+/.test(who) ? 'phone' : 'id'
}
