import { Buffer } from 'node:buffer'
import { z } from 'zod'
import { RetryLaterError } from '../../../domain/values/errors.ts'
import { type HttpClient, type HttpRequest, targetOf, USER_AGENT } from '../../../lib/http/http.ts'
import { jsonTextOf } from '../../../lib/http/json-text.ts'
import { orLeave } from '../../../lib/or-leave.ts'
import type { AdapterContext } from '../../adapter.ts'
import { createAnswerCheck } from '../../shared/http-errors.ts'
import type { OAuth } from './auth-options.ts'
import { basicHeader } from './basic.ts'
import type { Credentials } from './who-asks.ts'

/** RFC 6749, 5.1: how long it is good may be left out, or be said in a way of its own (null, 0): then a 401 tells. */
const Answer = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.coerce.number().positive().catch(600),
})

/** A token is not used in its last seconds (milliseconds): it must still be good where it arrives. */
const MARGIN = 30_000

interface Token {
  header: string
  until: number
}

/**
 * Tokens by OAuth 2 client credentials (RFC 6749, 4.4). One is fetched for all who need it, kept until it runs out, and fetched
 * anew after a 401. Whatever is wrong with that is trouble of the destination: nothing was asked of it yet.
 */
export function createTokens(options: OAuth, client: HttpClient, { destination }: AdapterContext): Credentials {
  const { tokenUrl, clientId, clientSecret } = options
  const basic = basicHeader(encodeURIComponent(clientId), encodeURIComponent(clientSecret))
  const secrets = [clientSecret, basic]
  const check = createAnswerCheck({ destination, secrets })
  const request = tokenRequest(options, basic)
  let token: Token | null = null
  let coming: Promise<Token> | null = null

  async function fetchToken(): Promise<Token> {
    try {
      const answer = check(request, await client.send(request))
      const { access_token, expires_in } = Answer.parse(JSON.parse(jsonTextOf(answer.body)))
      token = { header: `Bearer ${access_token}`, until: Date.now() + expires_in * 1000 - MARGIN }
      return token
    } catch (error) {
      const why = isAboutAnswer(error)
        ? `${destination}: ${tokenUrl.replace(/\?.*/s, '')} gave no token`
        : messageOf(error)
      const notBefore = error instanceof RetryLaterError ? error.notBefore : null
      throw new RetryLaterError(why, { code: 'no-token', scope: 'destination', notBefore })
    } finally {
      coming = null
    }
  }

  const tooLate = () =>
    new RetryLaterError(`${destination}: the token did not come in time`, { code: 'no-token', scope: 'destination' })

  return {
    async header(signal) {
      if (token && token.until > Date.now()) return token.header
      coming ??= fetchToken()
      const { header } = await orLeave(coming, signal, tooLate)
      return header
    },
    refused(header) {
      if (token?.header === header) token = null
      return true
    },
    get secrets() {
      return token ? [...secrets, token.header] : secrets
    },
  }
}

function tokenRequest({ tokenUrl, clientId, clientSecret, scope, audience, send }: OAuth, basic: string): HttpRequest {
  const inBody = { client_id: clientId, client_secret: clientSecret }
  const fields = {
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(send === 'body' && inBody),
  }
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(send === 'header' && { authorization: basic }),
  }
  const body = Buffer.from(new URLSearchParams(fields).toString())
  return { method: 'POST', ...targetOf(tokenUrl), headers, body, keep: 64 * 1024 }
}

/** The error is of JSON or of zod, whose words show what came. */
function isAboutAnswer(error: unknown): boolean {
  return error instanceof z.ZodError || error instanceof SyntaxError
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
