import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder } from '../hub.ts'
import { tillbridge } from './run.ts'

test('one run of check names everything for which no hub starts, each with its line: unknown keys and words, variables that are not set', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'tillbridge.yaml')
  await writeFile(
    path,
    `server:
  prot: 8080
  publicUrl: https://hub.example.com
  adminToken: \${ADMIN_TOKEN}
platform:
  webhooks: { tokens: ["\${WEBHOOK_TOKEN}"], kinds: [SaleCreated, SaleCreatd] }
mirror: al
store: { url: "file:${folder.path}/tillbridge.db" }
destinations:
  bus:
    adapter: http
    url: \${BUS_URL}
    publish: [SaleCreatd, CustomerCreated]
  other: { adapter: http, url: "https://example.com", publish: [Slae] }
`,
  )
  const env = { TILLBRIDGE_CONFIG: path, WEBHOOK_TOKEN: 'a-webhook-token-of-tests' }

  const { code, err } = await tillbridge(['check'], env)

  expect(code).toBe(2)
  const said = err.trim().split('\n')
  const of = (line: number, about: string) =>
    expect(said).toContainEqual(expect.stringMatching(new RegExp(`yaml:${line} ${about}: found .*expected`)))
  of(2, 'server.prot')
  of(4, 'server.adminToken')
  of(7, 'mirror')
  of(12, 'destinations.bus.url')
  expect(said).toHaveLength(4)
  const { problems } = JSON.parse((await tillbridge(['check', '--json'], env)).out)
  expect(problems).toHaveLength(4)
})
