import { Command } from 'commander'
import { type ApiKey, parseScopes, SCOPES } from '../domain/api-key.ts'
import { createClient } from './client.ts'
import { show, table, when } from './print.ts'

const create = new Command('create')
  .description('Make a key for an own system; it is shown this once')
  .argument('<system>', 'its name: lower-case letters, digits and hyphens')
  .requiredOption('--may <list>', `what it may submit, with commas between: ${SCOPES.join(', ')}`)
  .option('--json', 'print JSON')
  .action(async (system, { may, json }) => {
    const scopes = parseScopes(may)
    const client = await createClient(process.env)
    const made = await client.post<ApiKey & { key: string }>('/admin/keys', { system, may: scopes.join(',') })
    show(json, made, () => made.key)
    if (!json) console.error(`${system} may submit ${made.scopes.join(', ')}. The key is not shown again: keep it now.`)
  })

const list = new Command('list')
  .description('The keys of own systems, without what is secret')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ keys: ApiKey[] }>('/admin/keys')
    show(json, found, () => keyTable(found.keys))
  })

const revoke = new Command('revoke')
  .description('Make a key good for nothing from now on')
  .argument('<id>')
  .option('--json', 'print JSON')
  .action(async (id, { json }) => {
    const client = await createClient(process.env)
    const key = await client.post<ApiKey>(`/admin/keys/${encodeURIComponent(id)}/revoke`, {})
    show(json, key, () => `${key.id} of ${key.system} is revoked since ${when(key.revokedAt)}.`)
  })

export const keys = new Command('keys')
  .description('API keys of own systems, which submit to /v1')
  .addCommand(create)
  .addCommand(list)
  .addCommand(revoke)

function keyTable(rows: ApiKey[]): string {
  return table(
    ['id', 'system', 'may submit', 'made', 'by', 'used', 'revoked'],
    rows.map((key) => [
      key.id,
      key.system,
      key.scopes.join(','),
      when(key.createdAt),
      key.createdBy,
      when(key.lastUsedAt),
      when(key.revokedAt),
    ]),
    'There are no keys.',
  )
}
