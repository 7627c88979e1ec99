import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Config } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/issues.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Problem } from '../../src/config/yaml-file.ts'
import { UserError } from '../../src/domain/values/errors.ts'
import { secret } from '../../src/lib/schema.ts'

/** A stand-in for the http adapter's options, with one option of each shape that placeholders must find. */
export const HttpOptions = z.object({
  url: z.url({ protocol: /^https?$/, error: 'an http or https URL' }),
  secret: secret(z.string().regex(/^whsec_/, { error: 'whsec_ and base64' })).optional(),
  headers: z.record(z.string(), secret(z.string())).optional(),
  retries: z.int().min(0).default(0),
  gzip: z.boolean().optional(),
})

export const ENV = {
  ADMIN_TOKEN: 'admin-token-of-24-letters',
  WEBHOOK_TOKEN: 'webhook-token-of-24-chars',
  BUS_SECRET: 'whsec_c2VjcmV0LW9mLXRoZS1idXM=',
}

/** What must be there; sections of a test follow it. */
export const MINIMUM = `server: { adminToken: "\${ADMIN_TOKEN}" }
platform: { webhooks: { tokens: ["\${WEBHOOK_TOKEN}"] } }
`

interface Given {
  env?: Record<string, string | undefined>
  options?: Record<string, z.ZodObject>
}

/** Loads a config from a real file in a folder of its own. */
export async function load(text: string, { env = {}, options = { http: HttpOptions } }: Given = {}): Promise<Config> {
  const { config } = await loadConfig({
    path: await fileWith(text),
    env: { ...ENV, ...env },
    adapterOptions: async (adapter) => {
      const found = options[adapter]
      if (!found) throw new UserError(`There is no adapter "${adapter}".`)
      return found
    },
  })
  return config
}

/** The problems of a config that must not load. */
export async function problemsOf(text: string, given: Given = {}): Promise<readonly Problem[]> {
  return (await errorOf(text, given)).problems
}

export async function errorOf(text: string, given: Given = {}): Promise<ConfigError> {
  const error = await load(text, given).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ConfigError) return error
  throw new Error(`Expected a ConfigError, got ${String(error)}`)
}

export async function fileWith(text: string): Promise<string> {
  const path = join(await temporaryFolder(), 'tillbridge.yaml')
  await writeFile(path, text)
  return path
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-config-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
