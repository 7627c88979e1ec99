import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { AdminContext } from '../admin/context.ts'
import type { Call } from '../admin/routes.ts'
import { ArchiveError } from '../archive/archive.ts'
import { type ArchivedErasure, noteErasure, readErasures } from '../archive/erasures.ts'
import { begunSelection } from '../domain/privacy/notice.ts'
import { pseudonymOf, withoutMentions } from '../domain/privacy/rewriting.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Files } from '../folders/transport.ts'
import type { Clock } from '../lib/clock.ts'
import { PLACE_NAMES } from '../storage/personal-places.ts'
import type { Audit } from '../storage/rows.ts'
import { type Erased, erasePerson, erasingOf, openDeliveries, requireSettled } from './erase.ts'
import {
  caveatsOf,
  type FoundPerson,
  isKept,
  masked,
  maskedSystem,
  requireFree,
  requireKept,
  requireOne,
  tellOf,
} from './found-person.ts'
import { keysOfErasure } from './identifiers.ts'
import { type Known, learntOf } from './look.ts'
import { giveNotice, type NoticeRow, type NotifiedSystem, noticeRows } from './notices.ts'

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

export function createErasing(context: AdminContext) {
  const { storage, outside, inbox, clock } = context
  const erasuresRead = new Map<string, ArchivedErasure>()
  const outcomes = createOutcomes<ErasedPerson>(clock)

  async function inArchive<Result>(work: (files: Files) => Promise<Result>, without: Result): Promise<Result> {
    const { archive } = outside
    return archive === null ? without : await archive.use(AbortSignal.timeout(ARCHIVE_TIMEOUT_MS), work)
  }

  async function erase(call: Call, known: Known, how: How): Promise<ErasedPerson> {
    const { dryRun, skipOpen, reveal, asked } = how
    requireOne(known)
    const found = await tellOf(known, context)
    const rows = Object.keys(found.touched).length
    // The first answer may have been lost.
    const last = dryRun || asked === null || isKept(known, rows) ? null : outcomes.last(asked)
    if (last) return last
    requireKept(known, rows)
    if (dryRun) return { ...(reveal ? found : masked(found)), dryRun, notices: [], proof: null, act: null }
    requireFree(found.held)
    const who = erasingOf(known, how.token ?? goesOn(known))
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
      selection: begunSelection({ person: pseudonym, by: how.by, begun: true }, learntOf(known)),
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

/** Continues an unfinished erasure. If the person came back meanwhile, a new token: a pseudonym has one notice. */
function goesOn({ begun, isBack }: Known): string | undefined {
  return isBack ? undefined : begun.at(-1)
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

/** Proof of an erasure, which repeats it on a restored backup. Nothing personal. */
export const Proof = z.strictObject({
  format: z.literal('tillbridge-erasure-1'),
  pseudonym: z.string().regex(/^erased-[0-9a-f]{8}$/, 'expected the pseudonym of an erasure, such as erased-7f3a01bc'),
  at: z.iso.datetime(),
  by: z.string().max(200),
  reason: z.string().max(1_000),
  touched: z.partialRecord(z.enum(PLACE_NAMES), z.int()),
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
