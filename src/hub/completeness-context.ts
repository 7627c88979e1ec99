import type { Config } from '../config/config.ts'
import { readUnresolved } from '../inbox/unresolved-events.ts'
import { keptKinds } from '../jobs/subscriptions/subscriptions.ts'
import { KINDS } from '../payloads/kinds.ts'
import type { Platform } from '../platform/platform.ts'
import type { CompletenessContext } from '../store/read-completeness.ts'
import type { Store } from '../store/store.ts'
import { createWantedLogs } from './wanted-logs.ts'

/** What the judgement of completeness rests on besides watermarks and gaps, by a config. */
export function createCompletenessContext(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  store: Pick<Store, 'jobs' | 'stores' | 'events' | 'bodies' | 'formerPlaces'>,
  platform: Pick<Platform, 'operations'> | null,
): CompletenessContext {
  const { kinds } = asked.webhooks
  return {
    wantedLogs: createWantedLogs({ server, platform: asked }, store, platform),
    unresolved: (of) => readUnresolved(store, asked.payloads, of),
    async kinds() {
      if (platform === null) return { offered: [], wanted: [] }
      const specified = KINDS.map(({ name }) => name)
      if (kinds !== 'all') return { offered: [...new Set([...specified, ...(kinds ?? [])])], wanted: kinds ?? [] }
      // What is subscribed is all that the platform offers; before the first look at it, all that the specification names.
      const offered = await keptKinds(store)
      return { offered: offered.length > 0 ? offered : specified, wanted: offered }
    },
  }
}
