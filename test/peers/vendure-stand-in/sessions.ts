import { randomBytes } from 'node:crypto'
import { GraphqlFault, refused } from './fault.ts'

/** Who may ask: an administrator with a session, or whoever has the API key. */
export interface Sessions {
  /** Throws the fault that the server gives to everybody else. */
  allow(headers: { authorization?: string | undefined; apiKey?: string | undefined }): void
  logIn(username: unknown, password: unknown): { token: string } | ReturnType<typeof refused>
  end(): void
}

export interface Credentials {
  username: string
  password: string
  apiKey: string
}

export function createSessions({ username, password, apiKey }: Credentials): Sessions {
  const tokens = new Set<string>()
  return {
    allow(headers) {
      if (headers.apiKey === apiKey || tokens.has(headers.authorization?.replace(/^Bearer /, '') ?? '')) return
      throw new GraphqlFault('You are not currently authorized to perform this action', 'FORBIDDEN')
    },
    logIn(name, secret) {
      if (name !== username || secret !== password) return refused('InvalidCredentialsError')
      const token = randomBytes(16).toString('hex')
      tokens.add(token)
      return { token }
    },
    end: () => tokens.clear(),
  }
}
