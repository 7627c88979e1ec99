import { ANY_ORDER, SCOPES, type Scope } from '../../src/domain/scope.ts'
import { ADMIN_TOKEN, OLD_WEBHOOK_TOKEN, type TestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { signatureOf } from './order-feeds/shop.ts'

export const CUSTOMERS_TOKEN = 'token-of-a-pos-for-customers'
export const ORDERS_TOKEN = 'token-of-a-pos-for-orders'

export const BODY = Buffer.from('{}')

/** What a credential is good for, if it is sent where it belongs. */
export type Good = 'nothing' | 'webhooks' | 'intake' | 'admin' | 'customers' | 'orders' | { scope: Scope }

/** Something that somebody might send to be let in. */
export interface Credential {
  name: string
  good: Good
  headers: Record<string, string>
  query: string
}

/** Every credential that a hub knows, some that it does not, and each where it does not belong. */
export async function everyCredential(hub: TestHub): Promise<Credential[]> {
  const keys = await Promise.all(
    SCOPES.map(async (scope) => ({
      scope,
      ...(await makeKey(hub, scope === ANY_ORDER ? `orders,${ANY_ORDER}` : scope)),
    })),
  )
  const revoked = await makeKey(hub, SCOPES.join(','))
  await hub.admin(`keys/${revoked.id}/revoke`, {})
  const [first] = keys
  if (!first) throw new Error('There are no scopes.')
  return [
    { name: 'nothing', good: 'nothing', headers: {}, query: '' },
    inQuery('a webhook token', WEBHOOK_TOKEN, 'webhooks'),
    inQuery('the old webhook token', OLD_WEBHOOK_TOKEN, 'webhooks'),
    asBearer('the admin token', ADMIN_TOKEN, 'admin'),
    asBearer('the token for customers', CUSTOMERS_TOKEN, 'customers'),
    asBearer('the token for orders', ORDERS_TOKEN, 'orders'),
    ...keys.map(({ scope, key }) => asBearer(`a key for ${scope}`, key, { scope })),
    signed('a signature', signatureOf(BODY), 'intake'),
    inQuery('a wrong token', 'wrong-token-of-the-tests'),
    asBearer('a wrong token', 'wrong-token-of-the-tests'),
    asBearer('a key that is none', first.key.replace(/.{6}$/, 'aaaaaa')),
    asBearer('a revoked key', revoked.key),
    signed('a wrong signature', signatureOf(BODY, 'another secret')),
    ...inWrongPlaces('a webhook token', WEBHOOK_TOKEN).filter(({ query }) => query === ''),
    ...inWrongPlaces('the admin token', ADMIN_TOKEN),
    ...inWrongPlaces('a key', first.key),
    ...inWrongPlaces('the token for customers', CUSTOMERS_TOKEN),
    asBearer('a webhook token', WEBHOOK_TOKEN),
    asBearer('a signature', signatureOf(BODY)),
  ]
}

async function makeKey(hub: TestHub, may: string): Promise<{ key: string; id: string }> {
  return (await hub.admin<{ key: string; id: string }>('keys', { system: 'oms', may })).body
}

function asBearer(name: string, token: string, good: Good = 'nothing'): Credential {
  return { name: `${name} as Bearer`, good, headers: { authorization: `Bearer ${token}` }, query: '' }
}

function inQuery(name: string, token: string, good: Good = 'nothing'): Credential {
  return { name: `${name} in the address`, good, headers: {}, query: `token=${token}` }
}

function signed(name: string, signature: string, good: Good = 'nothing'): Credential {
  return { name, good, headers: { 'x-signature': signature }, query: '' }
}

/** Where people put tokens, and other programs read them. */
function inWrongPlaces(name: string, token: string): Credential[] {
  const basic = Buffer.from(`admin:${token}`).toString('base64')
  return [
    inQuery(name, token),
    { name: `${name} as a password`, good: 'nothing', headers: { authorization: `Basic ${basic}` }, query: '' },
    { name: `${name} as a cookie`, good: 'nothing', headers: { cookie: `token=${token}` }, query: '' },
    { name: `${name} in headers`, good: 'nothing', headers: { 'x-api-key': token, token }, query: '' },
  ]
}
