import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Given } from '../../hub.ts'
import type { Stranger } from './stranger.ts'

export function pageYaml(): string {
  const page = readFileSync(new URL('../../../docs/own-way.md', import.meta.url), 'utf8')
  return /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
}

export function valuesOf({ url, keys }: Stranger, token: string): Record<string, string> {
  return {
    ...{ PLATFORM_URL: url, PLATFORM_API_KEY: keys.apiKey, PLATFORM_SUBSCRIPTION_KEY: keys.subscriptionKey },
    WEBHOOK_TOKEN: token,
  }
}

/** The same as the hub of a test is given it. */
export function configOf(
  stranger: Stranger,
  token: string,
): Pick<NonNullable<Given['config']>, 'platform' | 'webhooks' | 'pulls'> {
  const values = valuesOf(stranger, token)
  const { platform, pulls } = parse(pageYaml().replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? ''))
  const { webhooks, ...rest } = platform
  return { platform: { ...rest, trustWebhooks: false, saleStores: { NO: '101' } }, webhooks, pulls }
}
