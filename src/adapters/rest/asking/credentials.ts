import type { HttpClient } from '../../../lib/http/http.ts'
import type { AdapterContext } from '../../adapter.ts'
import type { Auth } from './auth-options.ts'
import { basicHeader } from './basic.ts'
import { createTokens } from './oauth.ts'
import type { Credentials } from './who-asks.ts'

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
