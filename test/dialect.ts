import { test } from 'vitest'
import { DIALECTS, type DialectName } from '../sandbox/platform/dialects/dialect.ts'
import { dialectNamed } from '../sandbox/platform/dialects/named.ts'
import { createRandom } from '../sandbox/platform/seed/random.ts'
import { mappingsOf } from './dialect-mappings.ts'

/** How platforms speak in this run: `DIALECT=spec`, `facts` (if nobody says) or `frontsystems-v2`. All stories look here, and nowhere else. */
export const DIALECT: DialectName = chosen(process.env.DIALECT)

/** From this, the dialect `spec` draws the names that nobody shows. */
const SEED = 1

const { base, events } = dialectNamed(DIALECT, createRandom(SEED))

/** What a platform of the sandbox is started with; its day is that of a sandbox of which nobody says anything. */
export const SPEAKS = { dialect: DIALECT, ...(DIALECT === 'spec' && { seed: SEED }) } as const

/** What an operator writes under `platform` about it. The specification shows no way to ask whether what a webhook says is so. */
export const UNDERSTANDS =
  DIALECT === 'spec'
    ? ({ preset: 'spec', trustWebhooks: true, payloads: mappingsOf(events) } as const)
    : ({ preset: DIALECT === 'facts' ? 'spec' : DIALECT } as const)

/** Where `/api` begins at a platform, or at what stands before it. */
export function apiAt(url: string): string {
  return url + base
}

/**
 * A test of these dialects alone. In the others it is skipped, and the report says why; dialect-exceptions.test.ts lists all that
 * are.
 */
export function onlyIn(dialects: readonly DialectName[], why: string) {
  const isPlayed = dialects.includes(DIALECT)
  return (name: string, story: () => Promise<void>) => test(name, ({ skip }) => (isPlayed ? story() : skip(why)))
}

/** A path of a request, from `/api` on. */
export function withoutBase(path: string): string {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path
}

function chosen(name = 'facts'): DialectName {
  const found = DIALECTS.find((dialect) => dialect === name)
  if (!found) throw new Error(`DIALECT=${name}: there are ${DIALECTS.join(', ')}.`)
  return found
}
