import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type ArchivedErasure, ArchivedEvent, ArchiveError, noteErasure, readErasures } from '../archive/archive.ts'
import { begunSelection } from '../domain/privacy/notice.ts'
import { pseudonymOf, tokenIn, withoutMentions } from '../domain/privacy/rewriting.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Files } from '../folders/transport.ts'
import type { Clock } from '../lib/clock.ts'
import { type Erased, erasePerson, erasingOf, openDeliveries, requireSettled, withoutErased } from '../privacy/erase.ts'
import { giveNotice, type NoticeRow, type NotifiedSystem, noticeRows } from '../privacy/notices.ts'
import {
  type DataSubject,
  findDataSubject,
  identifiersUnder,
  keysOfErasure,
  parseIdentifiers,
  snapshotOf,
} from '../privacy/person.ts'
import {
  caveatsOf,
  type Exported,
  exportPerson,
  type FoundPerson,
  isStored,
  masked,
  maskedSystem,
  reportOn,
  requireFree,
  requireOne,
  requireStored,
} from '../privacy/report.ts'
import { PERSONAL_TABLE_NAMES } from '../storage/personal-places.ts'
import type { Audit } from '../storage/rows.ts'
import { dryRun, Reason, requireReason } from './asked.ts'
import type { AdminContext } from './context.ts'
import { type Call, post, type Route } from './routes.ts'

const yes = z.boolean().default(false)
const Name = z.string().trim().min(1).max(254)

const Who = z.strictObject({
  who: Name,
  also: z.array(Name).max(50).default([]),
  reason: Reason,
  reveal: yes,
  dryRun,
  skipOpen: yes,
  tell: z.boolean().default(true),
  everywhere: yes,
})

/** Proof of an erasure, which repeats it on a restored backup. Nothing personal. */
const Proof = z.strictObject({
  format: z.literal('tillbridge-erasure-1'),
  pseudonym: z.string().regex(/^erased-[0-9a-f]{8}$/, 'expected the pseudonym of an erasure, such as erased-7f3a01bc'),
  at: z.iso.datetime(),
  by: z.string().max(200),
  reason: z.string().max(1_000),
  touched: z.partialRecord(z.enum(PERSONAL_TABLE_NAMES), z.int()),
  events: z.int(),
  /** Identifiers, hashed under the secret of the search index, which backups have. */
  keys: z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(5_000),
  /** Null: an operator has to erase there. */
  destinations: z.array(z.strictObject({ destination: z.string(), delivery: z.int().nullable() })),
  /** The search afterwards. */
  secondPass: z.strictObject({
    searched: z.array(z.strictObject({ what: z.string(), bytes: z.number() })),
    found: z.int(),
    /** Events under a legal hold, left as they are. */
    held: z.array(z.int()),
    warnings: z.array(z.string()),
  }),
})
type Proof = z.infer<typeof Proof>

/** `tell`: destinations were notified the first time. */
const Again = z.strictObject({ proof: Proof, reason: Reason, dryRun, skipOpen: yes, tell: yes, everywhere: yes })

const Archived = z.strictObject({ events: z.array(ArchivedEvent).max(1_000) })

/** What is not indexed is not found (ms). */
const CATCH_UP_MS = 60_000

/** By POST: personal data stands in no URL. */
export function peopleRoutes(context: AdminContext): Route[] {
  const { storage, searchIndex } = context
  const countries = context.config.lookups.customers?.countries ?? []
  const erasing = createErasing(context)

  async function look({ who, also, everywhere }: Pick<z.output<typeof Who>, 'who' | 'also' | 'everywhere'>) {
    await requireCaughtUp()
    return await findDataSubject(storage, parseIdentifiers([who, ...also], countries), { everywhere })
  }

  /** Throws a UserError while the index is behind. */
  async function requireCaughtUp(): Promise<void> {
    if (await searchIndex.catchUp(CATCH_UP_MS)) return
    const { behind } = await storage.searchReach()
    throw new UserError(
      `${behind} events are not in the index yet: ask again in a while ("tillbridge find" says how far it is).`,
    )
  }

  return [
    post('/people/find', 'people find', Who, async ({ asked: { reason, reveal, ...asked }, note }) => {
      const known = await look(asked)
      const found = await reportOn(known, context)
      const selection = { by: sortOf(asked.who), events: found.events, reveal }
      await note({ selection, reason: reason && reasonWithout(reason, known) })
      return (reveal ? found : masked(found)) satisfies FoundPerson
    }),

    post('/people/export', 'people export', Who, async ({ asked: { reason, ...asked }, note }): Promise<Exported> => {
      requireReason({ dryRun: false, reason })
      const known = await look(asked)
      requireOne(known)
      const exported = await exportPerson(storage, known)
      requireStored(known, exported.rows.length)
      const selection = { by: sortOf(asked.who), events: known.events.length }
      await note({ selection, reason: reasonWithout(reason ?? '', known) })
      return exported
    }),

    post('/people/erase', 'people erase', Who, async (call) => {
      const { who, also, everywhere, ...how } = call.asked
      requireReason(how)
      const asked = [who, ...also]
      const eraseOne = async () => {
        const known = await look({ who, also, everywhere })
        return await erasing.erase(call, known, { ...how, by: sortOf(who), token: null, asked })
      }
      return how.dryRun ? await eraseOne() : await erasing.once(asked, eraseOne)
    }),

    // On a restored backup: the proof has the hashes and the pseudonym.
    post('/people/repeat', 'people erase', Again, async (call) => {
      const { proof, everywhere, ...how } = call.asked
      requireReason(how)
      await requireCaughtUp()
      const token = tokenIn(proof.pseudonym)
      const known = await findDataSubject(storage, await identifiersUnder(storage, proof.keys), { token, everywhere })
      return await erasing.erase(call, known, { ...how, reveal: false, by: 'proof', token, asked: null })
    }),

    // For "archive restore": only the secret of the storage identifies the erased.
    post('/people/archived', null, Archived, async ({ asked: { events } }) => {
      const erasures = await erasing.archived()
      const left: ArchivedEvent[] = []
      for (const event of events) left.push(await withoutErased(storage, event as ArchivedEvent, erasures))
      return { events: left }
    }),
  ]
}

function reasonWithout(reason: string, known: DataSubject): string {
  return withoutMentions(reason, erasingOf(known))
}

function sortOf(who: string): string {
  if (who.includes('@')) return 'email'
  return who.startsWith('+') ? 'phone' : 'id'
}

export interface ErasedPerson extends FoundPerson {
  dryRun: boolean
  notices: NoticeRow[]
  proof: Proof | null
  act: number | null
}

interface How {
  dryRun: boolean
  skipOpen: boolean
  tell: boolean
  reveal: boolean
  reason: string | null
  by: string
  token: string | null
  /** Null: repeated by its proof. */
  asked: readonly string[] | null
}

const ARCHIVE_TIMEOUT_MS = 60_000

function createErasing(context: AdminContext) {
  const { storage, outside, inbox, clock } = context
  const erasuresRead = new Map<string, ArchivedErasure>()
  const outcomes = createOutcomes<ErasedPerson>(clock)

  async function inArchive<Result>(work: (files: Files) => Promise<Result>, without: Result): Promise<Result> {
    const { archive } = outside
    return archive === null ? without : await archive.use(AbortSignal.timeout(ARCHIVE_TIMEOUT_MS), work)
  }

  async function erase(call: Call, known: DataSubject, how: How): Promise<ErasedPerson> {
    const { dryRun, skipOpen, reveal, asked } = how
    requireOne(known)
    const found = await reportOn(known, context)
    const rows = Object.keys(found.touched).length
    // The first answer may have been lost.
    const last = dryRun || asked === null || isStored(known, rows) ? null : outcomes.last(asked)
    if (last) return last
    requireStored(known, rows)
    if (dryRun) return { ...(reveal ? found : masked(found)), dryRun, notices: [], proof: null, act: null }
    requireFree(found.held)
    // An unfinished erasure goes on under its pseudonym, which has one notice: not if the person came back meanwhile.
    const who = erasingOf(known, how.token ?? (known.isBack ? undefined : known.begun.at(-1)))
    const pseudonym = pseudonymOf(who.token)
    const reason = withoutMentions(how.reason ?? '', who)
    const audit = { by: call.operator, at: clock.now(), reason, dryRun: false }
    const open = await openDeliveries(storage, known)
    requireSettled(open, skipOpen)
    // A phone number has one key with and without its country code.
    const keys = [...new Set(await storage.hashedKeys(keysOfErasure(known.person)))]
    await noteInArchive({ pseudonym, at: new Date(audit.at).toISOString(), keys })
    for (const { id } of open) await storage.skip({ id }, audit)
    const systems = found.notified.map((one) => ({ ...one, byHub: one.byHub && how.tell }))
    const notice = await giveNotice(storage, inbox, known, { notified: systems, pseudonym, now: clock.now() })
    // An interrupted erasure continues from this entry: its pseudonym, and, sealed, what was known.
    await call.note({
      selection: begunSelection({ person: pseudonym, by: how.by, begun: true }, snapshotOf(known)),
      reason,
    })
    const erased = await erasePerson(storage, known, who)
    erased.scrubbed.warnings.push(...caveatsOf(found.files).map((caveat) => withoutMentions(caveat, who)))
    const { touched, events: changed } = erased
    const act = await call.note({ selection: { person: pseudonym, by: how.by }, reason, changed })
    const notices = await noticeRows(storage, notice)
    const proof = proofOf(erased, keys, audit, { notified: systems, notices })
    // Ids are needed to erase by hand, and are gone from here.
    const shown = systems.map((one) => (one.byHub && !reveal ? maskedSystem(one) : one))
    const outcome = { ...masked(found), notified: shown, touched, dryRun, notices, proof, act }
    if (asked) outcomes.keep(asked, outcome)
    return outcome
  }

  /** Noted before anything is erased: reads of the archive leave the person out from now on. */
  async function noteInArchive(erasure: ArchivedErasure): Promise<void> {
    try {
      await inArchive((files) => noteErasure(files, erasure), undefined)
      erasuresRead.clear()
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      throw new UserError(
        `${error.message} An erasure is noted there first, so that nothing is read of the person from it: nothing was erased. Ask again when the archive can be written, or take retention.archive out of the config.`,
        { cause: error },
      )
    }
  }

  return {
    erase,
    once: outcomes.once,
    archived: async () => await inArchive((files) => readErasures(files, erasuresRead), []),
  }
}

const KEPT_MS = 24 * 3_600_000
const MAX_KEPT = 100

/** Outcomes, since the answer with the proof may be lost and an erasure cannot be repeated. In memory: beside the index secret, stored hashes would identify the person. */
function createOutcomes<Outcome>({ now }: Pick<Clock, 'now'>) {
  const secret = randomBytes(32)
  const running = new Map<string, Promise<Outcome>>()
  const ended = new Map<string, { outcome: Outcome; at: number }>()
  const keyOf = (asked: readonly string[]) =>
    createHash('sha256').update(secret).update(JSON.stringify(asked)).digest('hex')

  return {
    async once(asked: readonly string[], work: () => Promise<Outcome>): Promise<Outcome> {
      const key = keyOf(asked)
      const run = running.get(key) ?? work().finally(() => running.delete(key))
      running.set(key, run)
      return await run
    },

    keep(asked: readonly string[], outcome: Outcome): void {
      ended.delete(keyOf(asked))
      ended.set(keyOf(asked), { outcome, at: now() })
      for (const [key, { at }] of ended) if (ended.size > MAX_KEPT || at < now() - KEPT_MS) ended.delete(key)
    },

    last(asked: readonly string[]): Outcome | null {
      const one = ended.get(keyOf(asked))
      return one && one.at >= now() - KEPT_MS ? one.outcome : null
    },
  }
}

function proofOf(
  { pseudonym, touched, events, held, scrubbed: { searched, found, warnings } }: Erased,
  keys: string[],
  { at, by, reason }: Audit,
  { notified, notices }: { notified: readonly NotifiedSystem[]; notices: readonly NoticeRow[] },
): Proof {
  return {
    format: 'tillbridge-erasure-1',
    pseudonym,
    at: new Date(at).toISOString(),
    by,
    reason: reason ?? '',
    touched,
    events,
    keys,
    destinations: notified.map(({ destination }) => ({
      destination,
      delivery: notices.find((one) => one.destination === destination)?.delivery ?? null,
    })),
    secondPass: { searched, found, held, warnings },
  }
}
