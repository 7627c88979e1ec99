import type { HttpClient } from '../../../lib/http/http.ts'
import type { AdapterContext } from '../../adapter.ts'
import type { Auth } from './auth-options.ts'
import { basicHeader } from './basic.ts'
import { createTokens } from './oauth.ts'

/** What a request says about who asks. */
export interface Credentials {
  /** The `authorization` header; null: there is none. */
  header(signal: AbortSignal): Promise<string | null>
  /** It was refused with 401: whether another one can be had. */
  refused(header: string): boolean
  /** What no message may show. */
  secrets: readonly string[]
}

export function createCredentials(auth: Auth | undefined, client: HttpClient, context: AdapterContext): Credentials {
  if (auth?.oauth) return createTokens(auth.oauth, client, context)
  const header = fixedHeader(auth)
  return {
    header: async () => header,
    refused: () => false,
    secrets: header === null ? [] : [header],
  }
}

function fixedHeader(auth: Auth | undefined): string | null {
  if (auth?.bearer !== undefined) return `Bearer ${auth.bearer}`
  return auth?.basic ? basicHeader(auth.basic.user, auth.basic.password) : null
}
