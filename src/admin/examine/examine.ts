import type { AdapterInstance } from '../../adapters/adapter.ts'
import { lookAt } from '../../adapters/shared/examine.ts'
import type { Archive } from '../../archive/archive.ts'
import type { HealthItem } from '../../domain/health/health.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import { adviceOn } from '../../domain/queue/outcome.ts'
import { counted } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Examined, Question } from '../../ports/attempt.ts'

/** The findings on one system. */
export interface ExaminedSystem {
  destination: string
  /** Null: its adapter has nothing to ask it by. */
  found: Examined[] | null
}

/** The answer of a hub to `doctor`. */
export interface Doctored {
  items: HealthItem[]
  systems: ExaminedSystem[]
}

/** A destination whose adapter may look at its system. */
interface System extends Pick<AdapterInstance, 'examine'> {
  name: string
}

/** A person waits for it (milliseconds). */
const DEADLINE = 10_000

/** Has an adapter look at its own system, for so long at most. Never rejects: that it cannot be reached is what was found. */
export async function examineSystem({ name, examine }: System, clock: Clock): Promise<ExaminedSystem> {
  if (!examine) return { destination: name, found: null }
  const asking = new AbortController()
  const late = Promise.withResolvers<Examined[]>()
  const cancel = clock.after(DEADLINE, () => {
    asking.abort(new Error('the deadline is over'))
    late.resolve([notAnswered])
  })
  try {
    const found = await Promise.race([lookAt({ examine }, { signal: asking.signal }), late.promise])
    return { destination: name, found: found.map((one) => ({ ...one, says: namedOnce(name, one.says) })) }
  } finally {
    cancel()
  }
}

/** An adapter's errors begin with the name of its destination, which stands beside them already. */
function namedOnce(name: string, says: string): string {
  return says.replaceAll(`(${name}: `, '(')
}

/** The systems are examined all at once. */
export async function examineSystems(systems: readonly System[], clock: Clock): Promise<ExaminedSystem[]> {
  return await Promise.all(systems.map((system) => examineSystem(system, clock)))
}

const notAnswered: Examined = {
  what: 'connection',
  state: 'problem',
  says: `It did not answer within ${DEADLINE / 1_000} s.`,
  todo: adviceOn('no-answer').todo,
}

/** The archive as a system that the hub has a look at. None: config has none. */
export function archiveToExamine(archive: Archive | null) {
  return archive === null ? [] : [{ name: 'archive', examine: ({ signal }: Question) => archive.examine(signal) }]
}

/** The platform as a system that the hub has a look at; the doctor's own questions go further. None: config has none. */
export function platformToExamine(platform: Pick<Platform, 'stores'> | null) {
  if (platform === null) return []
  return [{ name: PLATFORM, examine: (question: Question) => examine(platform, question) }]
}

async function examine({ stores }: Pick<Platform, 'stores'>, { signal }: Question): Promise<Examined[]> {
  const { rows } = await stores.list(signal)
  return [
    {
      what: 'credentials',
      state: 'ok',
      says: `It is reached, knows both keys, and names ${counted(rows.length, 'store')}.`,
    },
  ]
}
