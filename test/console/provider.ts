import { generateKeyPairSync } from 'node:crypto'
import type { RequestListener } from 'node:http'
import Provider, { type JWK } from 'oidc-provider'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { listen } from '../listen.ts'

const SECRET = 'secret-of-the-console-at-the-provider'

/** Who is there, with their claims. */
export type Accounts = Record<string, Record<string, unknown>>

interface Behaviour {
  /** Who signs in there. */
  account: string
  /** An ID token in place of the right one. */
  idToken: string | null
  /** The ID token that was last handed out. */
  lastIdToken: string | null
  /** All requests but discovery get 503. */
  broken: boolean
}

/** A real OpenID Connect provider that asks nobody for a password, and a hub's config for it. `where`: in which of the two the roles stand. */
export async function startProvider(accounts: Accounts, where: 'id_token' | 'userinfo' = 'id_token') {
  const hubPort = await freePort()
  const hubUrl = `http://127.0.0.1:${hubPort}`
  const behaviour: Behaviour = { account: '', idToken: null, lastIdToken: null, broken: false }
  let answer: RequestListener = () => {}
  const listening = await listen((request, response) => answer(request, response))
  // Of another site than the hub, which is at 127.0.0.1.
  const url = listening.url.replace('127.0.0.1', 'localhost')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const redirect = `${hubUrl}/console/sign-in/oidc/callback`
  const clientOf = (id: string) => ({ client_id: id, client_secret: SECRET, redirect_uris: [redirect] })
  const provider = new Provider(url, {
    clients: [clientOf('console'), clientOf('other')],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'k1' } as JWK] },
    cookies: { keys: ['cookies of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['roles', 'realm_access'] },
    conformIdTokenClaims: where === 'userinfo',
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
  provider.use(async (context, next) => {
    if (behaviour.broken && !context.path.startsWith('/.well-known/')) {
      context.status = 503
      return
    }
    if (context.path.startsWith('/interaction/')) {
      const login = { accountId: behaviour.account }
      await provider.interactionFinished(context.req, context.res, { login }, { mergeWithLastSubmission: false })
      context.respond = false
      return
    }
    await next()
    const body = context.body as { id_token?: string } | undefined
    if (context.path !== '/token' || body?.id_token === undefined) return
    behaviour.lastIdToken = body.id_token
    if (behaviour.idToken !== null) context.body = { ...body, id_token: behaviour.idToken }
  })
  answer = provider.callback()
  const oidc = { issuer: url, clientId: 'console', clientSecret: SECRET, label: 'Fjord ID' }
  return {
    oidc,
    server: { port: hubPort, publicUrl: hubUrl },
    behaviour,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}
