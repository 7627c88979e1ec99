import { z } from 'zod'
import { PLACE_NAMES } from '../../store/people/places.ts'
import type { Audit } from '../../store/store.ts'
import type { Erased } from './erase.ts'
import type { NoticeRow, ToldSystem } from './notices.ts'

/** The proof of an erasure, which also repeats it on a backup that is restored: nothing of the person is in it. */
export const Proof = z.strictObject({
  format: z.literal('tillbridge-erasure-1'),
  pseudonym: z.string().regex(/^erased-[0-9a-f]{8}$/, 'expected the pseudonym of an erasure, such as erased-7f3a01bc'),
  at: z.iso.datetime(),
  by: z.string().max(200),
  /** Without what would say whom it was about. */
  reason: z.string().max(1_000),
  /** Rows that were written anew or taken away, by table. */
  touched: z.partialRecord(z.enum(PLACE_NAMES), z.int()),
  events: z.int(),
  /** What the person was told by: hashes under the secret of the store's search index, which backups have. */
  keys: z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(5_000),
  /** The destinations that knew the person: by which delivery each was told to forget them; null: an operator has to see to it. */
  destinations: z.array(z.strictObject({ destination: z.string(), delivery: z.int().nullable() })),
  /** The second pass: how much was looked through, and how often anything of the person was found. */
  secondPass: z.strictObject({
    searched: z.array(z.strictObject({ what: z.string(), bytes: z.number() })),
    found: z.int(),
    /** Events under a legal hold that say something of the person, and stay as they are. */
    held: z.array(z.int()),
    doubts: z.array(z.string()),
  }),
})
export type Proof = z.infer<typeof Proof>

/** The proof of an erasure. */
export function proofOf(
  erased: Erased,
  keys: string[],
  { at, by, reason }: Audit,
  { told, notices }: { told: readonly ToldSystem[]; notices: readonly NoticeRow[] },
): Proof {
  const { pseudonym, touched, events, held, scrubbed } = erased
  const { searched, found, doubts } = scrubbed
  return {
    format: 'tillbridge-erasure-1',
    pseudonym,
    at: new Date(at).toISOString(),
    by,
    reason: reason ?? '',
    touched,
    events,
    keys,
    destinations: told.map(({ destination }) => ({
      destination,
      delivery: notices.find((one) => one.destination === destination)?.delivery ?? null,
    })),
    secondPass: { searched, found, held, doubts },
  }
}
