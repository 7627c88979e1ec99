import type { Platform, Subscription } from '../platform/platform.ts'
import { examineEventId, type KeptWebhook } from './doctor-event-id.ts'
import type { Finding } from './doctor-finding.ts'
import { attempted, examineAccess, judgeKinds } from './doctor-platform.ts'
import { judgeSubscriptions, oursOf } from './doctor-subscriptions.ts'

/** Of the config: what the hub is to be sent. */
interface Wanted {
  publicUrl?: string | undefined
  tokens: readonly string[]
  kinds?: 'all' | readonly string[] | undefined
  eventIdHeader?: string | undefined
}

/** Asks the platform, reading only, and holds what it says against config and against what the hub keeps. */
export async function examine(
  platform: Platform,
  { publicUrl, tokens, kinds, eventIdHeader }: Wanted,
  readKept: () => Promise<KeptWebhook[] | Finding>,
): Promise<Finding[]> {
  const findings = await examineAccess(platform)
  if (findings.some(({ check, state }) => check !== 'stores' && state === 'problem')) return findings

  let offered: string[] = []
  let listed: Subscription[] = []
  findings.push(
    await attempted('kinds', async () => {
      offered = await platform.webhooks.types()
      return judgeKinds(offered, kinds)
    }),
    await attempted('subscriptions', async () => {
      listed = await platform.webhooks.list()
      return judgeSubscriptions(listed, { publicUrl, tokens, wanted: kinds, offered })
    }),
    await attempted('event id', async () => {
      const kept = await readKept()
      if (!Array.isArray(kept)) return kept
      return await examineEventId(platform, oursOf(listed, publicUrl), kept, eventIdHeader)
    }),
  )
  return findings
}
