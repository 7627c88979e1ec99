import { listIfThere } from '../../platform/areas/webhooks/list-if-there.ts'
import type { Preset } from '../../platform/http/endpoints.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import { openToOthers } from '../../store/file-rights.ts'
import { examineEventId, type KeptWebhook } from './event-id.ts'
import type { Finding } from './finding.ts'
import {
  attempted,
  currenciesOf,
  examineAccess,
  examinePreset,
  examinePriceLists,
  judgeKinds,
  unreadable,
} from './platform.ts'
import { judgeSubscriptions, oursOf } from './subscriptions.ts'

/** Settings of the config: what the hub is to be sent. */
interface Wanted {
  publicUrl?: string | undefined
  tokens: readonly string[]
  kinds?: 'all' | readonly string[] | undefined
  eventIdHeader?: string | undefined
  preset: Preset
}

/** Further questions. */
interface Asks {
  kept(): Promise<KeptWebhook[] | Finding>
  /** What the hub knows of its subscriptions where the platform lists none. */
  withoutList(): Promise<Finding>
  /** The fate of endpoints that no document shows. */
  endpoints(): Promise<Finding[]>
  /** How the schemas changed that a running hub has kept. */
  schemaChanges(): Promise<Finding[]>
  /** The settlements of today, as a preset asks for them. */
  settlementsAs(preset: Preset): Promise<unknown>
  /** The names of the fields of these kinds. */
  fields(offered: readonly string[]): Promise<Finding>
}

/** Asks the platform, reading only, and holds what it says against config and against what the hub keeps. */
export async function examine(
  platform: Platform,
  { publicUrl, tokens, kinds, eventIdHeader, preset }: Wanted,
  { kept: readKept, withoutList, endpoints, schemaChanges, settlementsAs, fields }: Asks,
): Promise<Finding[]> {
  const { findings, stores } = await examineAccess(platform)
  if (stores === null) return findings

  let offered: string[] = []
  let listed: Subscription[] = []
  findings.push(
    await examinePreset(preset, settlementsAs),
    await attempted('price lists', () => examinePriceLists(platform, currenciesOf(stores))),
    await attempted('kinds', async () => {
      const { rows, aside } = await platform.webhooks.types()
      offered = rows
      if (rows.length === 0 && aside.length > 0) return unreadable('kinds', 'webhooks.types', aside)
      return judgeKinds(offered, kinds, aside.length)
    }),
    await attempted('fields', async () => await fields(offered)),
    await attempted('subscriptions', async () => {
      const isListProven = () => platform.operations.isProven('webhooks.list')
      const found = await listIfThere({ platform, isListProven })
      if (found === null) return await withoutList()
      const { rows, aside } = found
      listed = rows
      if (rows.length === 0 && aside.length > 0) return unreadable('subscriptions', 'webhooks.list', aside)
      return judgeSubscriptions(rows, { publicUrl, tokens, wanted: kinds, offered, unread: aside.length })
    }),
    await attempted('event id', async () => {
      const kept = await readKept()
      if (!Array.isArray(kept)) return kept
      return await examineEventId(platform, oursOf(listed, publicUrl), kept, eventIdHeader)
    }),
    ...(await schemaChanges()),
    ...(await endpoints()),
  )
  return findings
}

/** Whether others on this machine may read the store; nothing where it is in no file that is here. */
export function storeOf(url: string): Finding[] {
  const files = openToOthers(url)
  if (files.length === 0) return []
  const shown = files.map(({ path, rights }) => `${path} (${rights})`).join(', ')
  return [
    {
      check: 'store',
      state: 'note',
      says: `Others on this machine than its owner may read it: ${shown}. It holds people's data.`,
      todo: 'chmod 600, unless the group reads it on purpose.',
    },
  ]
}
