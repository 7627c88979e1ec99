import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SandboxPlatform, startPlatform } from '../../sandbox/platform/platform.ts'
import type { Status } from '../../src/admin/health.ts'
import { eventually } from '../eventually.ts'
import { ADMIN_TOKEN, startTestHub, type TestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { asItIs, type ChangedAnswers, startChangedAnswers } from '../platform/operations/changed-answers.ts'
import { tillbridge } from './run.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

let sandbox: SandboxPlatform
let between: ChangedAnswers
let hub: TestHub
let configPath: string

beforeAll(async () => {
  sandbox = await startPlatform({ ...KEYS, seedCatalogue: false })
  between = await startChangedAnswers(sandbox.url)
  hub = await startTestHub({ config: { platform: { baseUrl: between.url, ...KEYS } } })
  configPath = join(hub.folder, 'doctor.yaml')
  await writeFile(
    configPath,
    `server: { port: ${new URL(hub.url).port}, adminToken: "\${ADMIN_TOKEN}" }
platform:
  baseUrl: ${between.url}
  apiKey: \${API_KEY}
  subscriptionKey: \${SUBSCRIPTION_KEY}
  webhooks: { tokens: ["\${WEBHOOK_TOKEN}"] }
`,
  )
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await between[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
})

/** What a command says of rows that are aside. */
async function said(command: 'status'): Promise<Status['rejected']>
async function said(command: 'doctor'): Promise<{ check: string; says: string }[]>
async function said(command: string) {
  const { out } = await tillbridge([command, '--json'], {
    ...{ ADMIN_TOKEN, WEBHOOK_TOKEN, API_KEY: KEYS.apiKey, SUBSCRIPTION_KEY: KEYS.subscriptionKey },
    ...{ TILLBRIDGE_CONFIG: configPath, TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN },
  })
  const answer: Status & { findings: { check: string; says: string }[] } = JSON.parse(out)
  return command === 'status' ? answer.rejected : answer.findings.filter(({ check }) => check === 'rows')
}

async function readStores(): Promise<void> {
  const before = hub.lines.filter(({ msg, job }) => msg === 'job.done' && job === 'stores').length
  await hub.admin('jobs/stores/run', {})
  await eventually(() => hub.lines.filter(({ msg, job }) => msg === 'job.done' && job === 'stores').length > before)
}

function withoutAnId(answer: unknown): unknown {
  const isStores = Array.isArray(answer) && answer.every((row) => row?.StoreNo !== undefined)
  return isStores ? answer.map((row, index) => (index === 0 ? { ...row, StoreId: null } : row)) : answer
}

test('When a store cannot be read, then status and doctor say which field is wrong, until it can be', async () => {
  await readStores()
  expect(await said('status')).toEqual([])
  between.change = withoutAnId
  await readStores()
  expect(await said('status')).toMatchObject([{ operation: 'stores.list', why: 'has no StoreId', rows: 1, about: [] }])
  expect(await said('doctor')).toMatchObject([{ says: expect.stringMatching(/^stores\.list: 1 row has no StoreId/) }])
  between.change = asItIs
  // The doctor has the hub ask the platform, too: it can read them again.
  expect(await said('doctor')).toEqual([])
  expect(await said('status')).toEqual([])
  expect(await said('doctor')).toEqual([])
  expect(hub.lines.filter(({ msg }) => msg === 'platform.rows-rejected')).toHaveLength(1)
})
