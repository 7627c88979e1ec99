import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { orLeave } from '../../lib/or-leave.ts'
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

/** A password takes Vendure a good part of a second to compare, and longer where it is busy (milliseconds). */
const LOGIN_TIMEOUT = 30_000

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
  /** For all who wait for it; it goes on where one of them cannot wait any longer, so that the next need not begin anew. */
  let coming: Promise<string> | null = null

  async function logIn(): Promise<string> {
    const signal = AbortSignal.timeout(LOGIN_TIMEOUT)
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
    if (typeof given === 'string' && given !== '') {
      token = given
      return given
    }
    throw new PermanentError(
      `${destination}: login gave no ${TOKEN}: the shop's authOptions.tokenMethod must have 'bearer' in it, or use apiKey.`,
      { code: 'login-without-token' },
    )
  }

  const tooLate = () => new RetryLaterError(`${destination}: logging in was not over in time`, { code: 'no-time' })

  return {
    async headers(signal) {
      if (token !== null) return { authorization: `Bearer ${token}` }
      coming ??= logIn().finally(() => {
        coming = null
      })
      return { authorization: `Bearer ${await orLeave(coming, signal, tooLate)}` }
    },
    forget() {
      token = null
    },
  }
}
