import { randomUUID } from 'node:crypto'
import express, { type RequestHandler, Router } from 'express'

export interface TokenOptions {
  token: string
  clientId: string
  clientSecret: string
  /** How long an issued token is said to be good (seconds). */
  expiresIn: number
}

export interface TokenDesk {
  router: Router
  guard: RequestHandler
  issued(): number
  revoke(): void
}

/** `POST /oauth/token`: client credentials as RFC 6749 has them, 2.3.1 (Basic) and 4.4; its errors as 5.2. */
export function createTokenDesk({ token, clientId, clientSecret, expiresIn }: TokenOptions): TokenDesk {
  const good = new Set<string>()
  let issued = 0
  const router = Router()
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`

  router.post('/oauth/token', express.urlencoded({ extended: false }), ({ body, headers }, response) => {
    const isInBody = body?.client_id === clientId && body?.client_secret === clientSecret
    if (body?.grant_type !== 'client_credentials') response.status(400).json({ error: 'unsupported_grant_type' })
    else if (headers.authorization !== basic && !isInBody) response.status(401).json({ error: 'invalid_client' })
    else {
      const issuedToken = randomUUID()
      good.add(issuedToken)
      issued += 1
      response.set('Cache-Control', 'no-store')
      response.json({ access_token: issuedToken, token_type: 'Bearer', expires_in: expiresIn })
    }
  })

  return {
    router,
    guard({ headers }, response, next) {
      const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
      if (given === token || good.has(given)) next()
      else response.status(401).json({ error: { code: 'unauthorized', field: 'authorization' } })
    },
    issued: () => issued,
    revoke() {
      good.clear()
    },
  }
}
