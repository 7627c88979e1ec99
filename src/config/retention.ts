import { z } from 'zod'
import { MIRROR_SETS, type MirrorSet } from '../domain/catalogue/mirror.ts'
import { RETENTION as LOG_REACHES } from '../domain/ledger/horizon.ts'
import { SftpOptions } from '../folders/sftp/options.ts'
import { duration } from './duration.ts'

const MOST = '36500d'

/** Sets that hold what is so now: nothing of them has an age. */
const LASTING = ['stock', 'products', 'retail-lists', 'dated-prices', 'store-details'] as const satisfies MirrorSet[]
type Ageing = Exclude<MirrorSet, (typeof LASTING)[number]>

/** How long sets are kept where config does not say. */
const SETS: Record<Ageing, { age: string; about: string }> = {
  movements: { age: '400d', about: 'Stock movements, by their day.' },
  reservations: { age: '400d', about: 'Reservations, by their day.' },
  'orders-over': {
    age: '400d',
    about: 'Orders for which nothing is kept any more, by the day on which that was told.',
  },
  settlements: { age: '3650d', about: 'Settlements, by their day: bookkeeping asks for them for years.' },
  sales: { age: '400d', about: 'Sales, by their day.' },
  'sales-lines': { age: '400d', about: 'Sales lines, by their day.' },
  deliveries: { age: '400d', about: 'Deliveries to stores, by their day.' },
}
const AGEING = MIRROR_SETS.filter((set): set is Ageing => set in SETS)

const OfKind = z.strictObject({
  payloads: duration('1d', MOST).optional().describe('What events of this kind said.'),
  events: duration('1d', MOST).optional().describe('Their rows, and their deliveries.'),
  attempts: duration('1d', MOST).optional().describe('The tries of their deliveries.'),
})

const Archive = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A folder of this machine, where events lie before their payloads go: by kind and month, NDJSON under zstd.',
      ),
    sftp: SftpOptions.optional().describe('A folder of an SFTP server, in place of one of this machine.'),
    keep: duration('1d', MOST)
      .prefault('1826d')
      .describe('How long a file lies there after the month of its events; 1826d is five years.'),
  })
  .superRefine(({ folder, sftp }, context) => {
    if ((folder === undefined) === (sftp === undefined))
      context.addIssue({ code: 'custom', path: ['folder'], message: 'either folder or sftp' })
  })

/** How long everything is kept. What is open, held, dead, aside, in a gap or under a legal hold stays however old it is. */
export const Retention = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Nothing is ever pruned where this is false.'),
    payloads: duration('1d', MOST).prefault('90d').describe('What events said: their bodies and headers.'),
    events: duration('1d', MOST).prefault('400d').describe('Rows of events, and their deliveries.'),
    attempts: duration('1d', MOST).prefault('90d').describe('The tries of deliveries.'),
    keys: duration('1d', MOST)
      .prefault('400d')
      .describe(
        'The memory of what has been seen: for so long the same event sent again is a duplicate. What happened before that and is not known is held as a conflict, once keys have gone.',
      ),
    lookups: duration('1d', MOST).prefault('400d').describe('Questions of tills about orders.'),
    audit: duration('1d', MOST).prefault('1826d').describe('What people did; 1826d is five years.'),
    mirror: z
      .strictObject(
        Object.fromEntries(
          AGEING.map((set) => [set, duration('1d', MOST).prefault(SETS[set].age).describe(SETS[set].about)]),
        ) as Record<Ageing, z.ZodPrefault<ReturnType<typeof duration>>>,
      )
      .prefault({} as never)
      .describe('Sets of the mirror. What says how things are now (stock, products …) has no age.'),
    archive: Archive.optional().describe('What events said is kept elsewhere before it goes. Without it, it is gone.'),
    kinds: z
      .record(z.string().min(1), OfKind)
      .default({})
      .describe('Kinds of events that are kept otherwise: `SaleCreated: { payloads: 30d }`.'),
  })
  .superRefine(({ keys, kinds, payloads, attempts, events }, context) => {
    const ages = { payloads, attempts, events }
    if (keys < LOG_REACHES)
      context.addIssue({
        code: 'custom',
        path: ['keys'],
        message: "at least 7d: the platform's event log reaches back so far, and what it sends again must be known",
      })
    if (keys < ages.events)
      context.addIssue({
        code: 'custom',
        path: ['keys'],
        message: 'at least as long as events: an event that is here must be known again',
      })
    for (const part of ['payloads', 'attempts'] as const)
      if (ages[part] > ages.events)
        context.addIssue({ code: 'custom', path: [part], message: 'at most as long as events: it goes with its event' })
    for (const [kind, own] of Object.entries(kinds)) {
      const events = own.events ?? ages.events
      if (events > keys)
        context.addIssue({ code: 'custom', path: ['kinds', kind, 'events'], message: 'at most as long as keys' })
      for (const part of ['payloads', 'attempts'] as const)
        if ((own[part] ?? 0) > events)
          context.addIssue({
            code: 'custom',
            path: ['kinds', kind, part],
            message: 'at most as long as events of this kind: it goes with its event',
          })
    }
  })
