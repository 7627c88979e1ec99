import { Router } from 'express'
import { z } from 'zod'
import { ArchivedEvent } from '../../archive/read.ts'
import { tokenIn } from '../../domain/people/erasing/rewriting.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { SearchIndex } from '../../inbox/search-index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { parse, Reason, requireReason } from '../filters.ts'
import { withoutErased } from './archived.ts'
import { readAsked } from './asked.ts'
import { erasingOf, reasonWithout } from './erase.ts'
import { createErasing } from './erasing.ts'
import { type Exported, exportPerson } from './export.ts'
import { type FoundPerson, masked, requireKept, requireOne, tellOf } from './found-person.ts'
import { type Known, lookAgain } from './look.ts'
import type { Telling } from './notices.ts'
import type { Outside } from './outside.ts'
import { Proof } from './proof.ts'
import { identifiersUnder } from './repeat.ts'

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

/** How long the index may catch up: what is not in it is not found (milliseconds). */
const PATIENCE = 60_000

/** `/admin/people`: what is kept of one person, all of it to hand out, and nothing of it any more. By POST: a person stands in no address. */
export function createPeopleAdmin({ store, index, countries, acts, outside, telling, clock }: Options): Router {
  const router = Router()
  const erasing = createErasing({ store, acts, outside, telling, clock })

  router.post('/find', acts.of('people find'), async (request, response) => {
    const { reason, reveal, ...asked } = parse(Who, request.body)
    const known = await look(asked)
    const told = await tellOf(known, { store, outside, telling })
    const selection = { by: sortOf(asked.who), events: told.events, reveal }
    await acts.note(request, {
      action: 'people find',
      selection,
      reason: reason && reasonWithout(reason, erasingOf(known)),
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
      reason: reasonWithout(reason ?? '', erasingOf(known)),
    })
    response.json(exported satisfies Exported)
  })

  router.post('/erase', acts.of('people erase'), async (request, response) => {
    const { who, also, everywhere, reveal, ...how } = parse(Who, request.body)
    requireReason(how)
    const asked = [who, ...also]
    const eraseOne = async () =>
      await erasing.erase(request, await look({ who, also, everywhere }), {
        ...how,
        reveal,
        by: sortOf(who),
        token: null,
        asked,
      })
    response.json(how.dryRun ? await eraseOne() : await erasing.once(asked, eraseOne))
  })

  // On a backup that was restored: the proof tells by hashes whom it was about, and which pseudonym it was.
  router.post('/repeat', acts.of('people erase'), async (request, response) => {
    const { proof, everywhere, ...how } = parse(Again, request.body)
    requireReason(how)
    await caughtUp()
    const asked = await identifiersUnder(store, proof.keys)
    const token = tokenIn(proof.pseudonym)
    const known = await lookAgain(store, asked, { token, everywhere })
    response.json(await erasing.erase(request, known, { ...how, reveal: false, by: 'proof', token, asked: null }))
  })
  // For "archive restore", which reads files: only the store's secret tells whom an erasure is of.
  router.post('/archived', async (request, response) => {
    const { events } = parse(Archived, request.body)
    const erasures = await erasing.archived()
    const left: ArchivedEvent[] = []
    for (const event of events) left.push(await withoutErased(store, event, erasures))
    response.json({ events: left })
  })
  return router

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
}

function sortOf(who: string): string {
  if (who.includes('@')) return 'email'
  return /^\+/.test(who) ? 'phone' : 'id'
}
