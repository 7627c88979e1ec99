import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import type { ShadowOptions } from '../../adapters/shadow/shadow.ts'
import type { Config } from '../../config/config.ts'
import type { KnownStore } from '../../domain/places/store-index.ts'
import { flows } from '../../flows/index.ts'
import { abilitiesOf } from '../../ports/perform.ts'
import { createOffline } from '../offline.ts'

const SHADOW = fileURLToPath(new URL('../../adapters/shadow/shadow.ts', import.meta.url))

/** What a rehearsed hub has that is not of its config. */
export interface RehearsalOf {
  storeUrl: string
  webhookToken: string
  adminToken: string
  /** By destination. */
  shadows: Readonly<Record<string, { latency: number; book: string }>>
}

/**
 * The config of a hub that is rehearsed: the same rules, limits and lanes on another store, with a shadow in the place of each
 * destination, and without anybody whom it would ask or tell: no platform, no look-ups, no alarms. What webhooks say is believed,
 * since nobody can bear it out. Throws what a start would throw.
 */
export async function shadowed(
  config: Config,
  folder: string,
  stores: readonly KnownStore[],
  { storeUrl, webhookToken, adminToken, shadows }: RehearsalOf,
): Promise<Config> {
  await using hub = await createOffline(config, folder, { flows, stores })
  const targets = new Map(hub.targets.map((one) => [one.name, one]))
  const { server, store, platform } = config
  const nobody = { baseUrl: undefined, odataUrl: undefined, apiKey: undefined, subscriptionKey: undefined }
  const webhooks = { ...platform.webhooks, tokens: [webhookToken], kinds: undefined, stores: undefined }
  return {
    ...config,
    server: { ...server, host: '127.0.0.1', port: 0, adminToken, publicUrl: undefined },
    store: { ...store, url: storeUrl },
    platform: { ...platform, ...nobody, trustWebhooks: true, webhooks },
    lookups: {},
    alarms: { to: {}, severity: {} },
    jobs: {},
    destinations: config.destinations.map((one) => {
      const target = targets.get(one.name)
      const options: z.output<typeof ShadowOptions> = {
        abilities: target ? abilitiesOf(target.ports) : [],
        gathers: target?.gathers === true,
        latency: shadows[one.name]?.latency ?? 0,
        book: shadows[one.name]?.book ?? '',
      }
      // One that is to record only is rehearsed as it will be when it counts.
      return { ...one, dryRun: false, adapter: SHADOW, options, written: options }
    }),
  }
}
