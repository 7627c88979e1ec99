import { PLATFORM } from '../../domain/queue/event.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Question } from '../../ports/attempt.ts'
import type { Examined } from '../../ports/examined.ts'

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
