import type { Request } from 'express'
import { ArchiveError } from '../../archive/archive.ts'
import { type ArchivedErasure, noteErasure, readErasures } from '../../archive/erasures.ts'
import { begunSelection } from '../../domain/people/erasing/notice.ts'
import { pseudonymOf } from '../../domain/people/erasing/rewriting.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Files } from '../../folders/transport.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { operatorOf } from '../asking.ts'
import { keysOfErasure } from './asked.ts'
import { erasePerson, erasingOf, openDeliveries, reasonWithout, requireSettled } from './erase.ts'
import {
  type FoundPerson,
  isKept,
  masked,
  maskedSystem,
  requireFree,
  requireKept,
  requireOne,
  tellOf,
} from './found-person.ts'
import { type Known, learntOf } from './look.ts'
import { giveNotice, type NoticeRow, noticeRows, type Telling } from './notices.ts'
import { createOutcomes } from './outcomes.ts'
import { doubtsOf, type Outside } from './outside.ts'
import { type Proof, proofOf } from './proof.ts'

/** An erasure as it was asked for, and its outcome. */
export interface ErasedPerson extends FoundPerson {
  dryRun: boolean
  /** The deliveries by which destinations are told to forget them. */
  notices: NoticeRow[]
  /** Null: a dry run. */
  proof: Proof | null
  act: number | null
}

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

interface Options {
  store: Store
  acts: Acts
  outside: Outside
  telling: Telling
  clock: Pick<Clock, 'now'>
}

/** How long the archive may take (milliseconds). */
const PATIENCE = 60_000

/** The act of erasing a person, noted in the audit and in the archive; of one that was not answered, what came of it. */
export function createErasing(options: Options) {
  const { store, acts, outside, telling, clock } = options
  const erasuresRead = new Map<string, ArchivedErasure>()
  const outcomes = createOutcomes<ErasedPerson>(clock)

  return {
    erase,
    once: outcomes.once,
    /** The erasures that the archive has to leave out. */
    archived: async () => await inArchive((files) => readErasures(files, erasuresRead), []),
  }

  async function inArchive<Result>(work: (files: Files) => Promise<Result>, without: Result): Promise<Result> {
    return outside.archive === null ? without : await outside.archive.use(AbortSignal.timeout(PATIENCE), work)
  }

  async function erase(request: Request, known: Known, how: How): Promise<ErasedPerson> {
    const { dryRun, skipOpen, reveal, asked } = how
    requireOne(known)
    const told = await tellOf(known, options)
    const rows = Object.keys(told.touched).length
    // Whoever asks again did not hear what came of it.
    const last = dryRun || asked === null || isKept(known, rows) ? null : outcomes.last(asked)
    if (last) return last
    requireKept(known, rows)
    if (dryRun) return { ...(reveal ? told : masked(told)), dryRun, notices: [], proof: null, act: null }
    requireFree(told.held)
    const who = erasingOf(known, how.token ?? goesOn(known))
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
    erased.scrubbed.doubts.push(...doubtsOf(told.files).map((doubt) => reasonWithout(doubt, who)))
    const { touched, pseudonym, events: changed } = erased
    const selection = { person: pseudonym, by: how.by }
    const act = await acts.note(request, { action: 'people erase', selection, reason, changed })
    const notices = await noticeRows(store, notice)
    const proof = proofOf(erased, keys, audit, { told: systems, notices })
    // Whoever has it forgotten by hand needs the ids, which nobody can tell any more; else nobody does.
    const shown = systems.map((one) => (one.byHub && !reveal ? maskedSystem(one) : one))
    const outcome = { ...masked(told), told: shown, touched, dryRun, notices, proof, act }
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
}

/**
 * The random word under which an erasure goes on that has not ended. Who came back since is forgotten anew: a pseudonym has one notice, and
 * systems that were told of them since need another.
 */
function goesOn({ begun, isBack }: Known): string | undefined {
  return isBack ? undefined : begun.at(-1)
}
