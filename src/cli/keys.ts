import { Command } from 'commander'
import {
  ANY_ORDER,
  type ApiKey,
  READ_ALL,
  READ_COMPLETENESS,
  READ_METRICS,
  SET_NAMES,
  SUBMIT_SCOPES,
} from '../domain/scope.ts'
import { createClient } from './shared/client.ts'
import { type Columns, complain, show, tableOf, when } from './shared/output.ts'
import { asks, group } from './shared/question.ts'

const KEYS: Columns<ApiKey> = {
  id: 'id',
  system: 'system',
  may: ({ scopes }) => scopes.join(','),
  made: ({ createdAt }) => when(createdAt),
  by: 'createdBy',
  used: ({ lastUsedAt }) => when(lastUsedAt),
  revoked: ({ revokedAt }) => when(revokedAt),
}

const create = new Command('create')
  .description('Make an API key; it is shown this once')
  .argument('<system>', 'its name: lower-case letters, digits and hyphens')
  .requiredOption('--may <list>', 'its scopes, with commas between, such as products,read:stock')
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
Scopes:
  to submit                        ${SUBMIT_SCOPES.join(', ')}
  and other systems' orders too    ${ANY_ORDER} (beside orders; without it a key changes and cancels the orders of its own system)
  to read                          read:<set> of ${SET_NAMES.join(', ')}; ${READ_ALL} for all of them
  to ask whether all is here       ${READ_COMPLETENESS}
  to watch over the hub            ${READ_METRICS}`,
  )
  .action(async (system, { may, json }) => {
    const client = await createClient(process.env)
    const made = await client.post<ApiKey & { key: string }>('/admin/keys', { system, may })
    show(json, made, () => made.key)
    if (!json) complain(`${system} may ${made.scopes.join(', ')}. The key is not shown again: keep it now.`)
  })

const list = asks<{ keys: ApiKey[] }>('list', 'GET /admin/keys', {
  about: 'API keys, without their secrets',
  text: ({ keys: all }) => tableOf(KEYS, all, 'There are no keys.'),
})

const revoke = asks<ApiKey>('revoke', 'POST /admin/keys/:id/revoke', {
  about: 'Make an API key invalid',
  with: (command) => command.argument('<id>'),
  text: ({ id, system, revokedAt }) => `${id} of ${system} is revoked since ${when(revokedAt)}.`,
})

export const keys = group('keys', 'API keys of own systems, which submit to /v1 and read from it', create, list, revoke)
