import { z } from 'zod'
import { ArchivedEvent } from '../archive/archived-events.ts'
import { tokenIn, withoutMentions } from '../domain/privacy/rewriting.ts'
import { UserError } from '../domain/values/errors.ts'
import { identifiersUnder, withoutErased } from '../privacy/archived.ts'
import { erasingOf } from '../privacy/erase.ts'
import { createErasing, Proof } from '../privacy/erasing.ts'
import { type Exported, exportPerson } from '../privacy/export.ts'
import { type FoundPerson, masked, requireKept, requireOne, tellOf } from '../privacy/found-person.ts'
import { readAsked } from '../privacy/identifiers.ts'
import { type Known, lookAgain } from '../privacy/look.ts'
import { dryRun, Reason, requireReason } from './asked.ts'
import type { AdminContext } from './context.ts'
import { post, type Route } from './routes.ts'

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
    return await lookAgain(storage, readAsked([who, ...also], countries), { everywhere })
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
      const found = await tellOf(known, context)
      const selection = { by: sortOf(asked.who), events: found.events, reveal }
      await note({ selection, reason: reason && reasonWithout(reason, known) })
      return (reveal ? found : masked(found)) satisfies FoundPerson
    }),

    post('/people/export', 'people export', Who, async ({ asked: { reason, ...asked }, note }): Promise<Exported> => {
      requireReason({ dryRun: false, reason })
      const known = await look(asked)
      requireOne(known)
      const exported = await exportPerson(storage, known)
      requireKept(known, exported.rows.length)
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
      const known = await lookAgain(storage, await identifiersUnder(storage, proof.keys), { token, everywhere })
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

function reasonWithout(reason: string, known: Known): string {
  return withoutMentions(reason, erasingOf(known))
}

function sortOf(who: string): string {
  if (who.includes('@')) return 'email'
  return who.startsWith('+') ? 'phone' : 'id'
}
