import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Given } from '../../hub.ts'
import type { Stranger } from './stranger.ts'

/** The config of docs/own-way.md, with the values of a platform that runs. */
export function configOf(
  { url, keys }: Stranger,
  token: string,
): Pick<NonNullable<Given['config']>, 'platform' | 'webhooks' | 'pulls'> {
  const page = readFileSync(new URL('../../../docs/own-way.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
  const values: Record<string, string> = {
    ...{ PLATFORM_URL: url, PLATFORM_API_KEY: keys.apiKey, PLATFORM_SUBSCRIPTION_KEY: keys.subscriptionKey },
    WEBHOOK_TOKEN: token,
  }
  const { platform, pulls } = parse(
    yaml.replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? ''),
    { merge: true },
  )
  const { webhooks, ...rest } = platform
  return { platform: { ...rest, trustWebhooks: false, saleStores: { NO: '101' } }, webhooks, pulls }
}
