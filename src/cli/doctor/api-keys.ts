import type { ApiKey } from '../../domain/access/api-key.ts'
import { UserError } from '../../domain/values/errors.ts'
import { narrowerText, wideKeys, wideText } from '../acts/wide-keys.ts'
import type { Client } from '../shared/client.ts'
import type { Finding } from './finding.ts'

/** Whether keys of own systems may more than they have to; a running hub knows them. */
export async function examineApiKeys(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding> {
  try {
    return judgeApiKeys((await (await hub()).get<{ keys: ApiKey[] }>('/admin/keys')).keys)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    // As with the header of the event: without a hub there is nothing to look at yet.
    const state = error.cause ? 'note' : 'problem'
    const says = `Which keys own systems have, a running hub knows.${error.cause ? '' : ` ${error.message}`}`
    return { check: 'API keys', state, says, todo: 'look again when the hub works.' }
  }
}

function judgeApiKeys(keys: readonly ApiKey[]): Finding {
  const wide = wideKeys(keys)
  if (wide.length === 0) return { check: 'API keys', state: 'ok', says: 'Each may what it was made for, and no more.' }
  const says = wide.map(wideText).join(' ')
  return { check: 'API keys', state: 'note', says, todo: `${wide.map(narrowerText).join('; ')}.` }
}
