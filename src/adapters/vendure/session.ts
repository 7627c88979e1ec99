import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { errorCodeOf, type GraphqlAnswer, refusalOf } from './graphql-answer.ts'
import type { VendureOptions } from './options.ts'

const LOGIN = /* GraphQL */ `
  mutation Login($username: String!, $password: String!) {
    login(username: $username, password: $password) {
      ... on ErrorResult { errorCode }
      ... on CurrentUser { id }
    }
  }
`

/** In which header Vendure gives a session's token. */
const TOKEN = 'vendure-auth-token'

type Post = (
  body: object,
  headers: Record<string, string>,
  signal: AbortSignal,
) => Promise<{ answer: GraphqlAnswer; headers: Record<string, string | string[] | undefined> }>

/** The session of an administrator: begun when it is needed, and again when it has run out. */
export interface Session {
  headers(signal: AbortSignal): Promise<Record<string, string>>
  forget(): void
}

export function createSession({ username, password }: VendureOptions, destination: string, post: Post): Session {
  let token: string | null = null

  async function logIn(signal: AbortSignal): Promise<string> {
    const { answer, headers } = await post({ query: LOGIN, variables: { username, password } }, {}, signal).catch(
      (error: unknown) => {
        if (!(error instanceof UnknownOutcomeError)) throw error
        throw new RetryLaterError(error.message, { code: error.code, cause: error.cause })
      },
    )
    const code = errorCodeOf(answer) ?? refusalOf(answer.data?.login)
    if (code !== null)
      throw new PermanentError(`${destination}: login was refused: ${code}. Compare username and password.`, {
        code: 'login-refused',
      })
    const given = headers[TOKEN]
    if (typeof given === 'string' && given !== '') return given
    throw new PermanentError(
      `${destination}: login gave no ${TOKEN}: the shop's authOptions.tokenMethod must have 'bearer' in it, or use apiKey.`,
      { code: 'login-without-token' },
    )
  }

  return {
    async headers(signal) {
      token ??= await logIn(signal)
      return { authorization: `Bearer ${token}` }
    },
    forget() {
      token = null
    },
  }
}
