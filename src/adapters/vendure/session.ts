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
  let login: Promise<string> | null = null

  /** One login for all who wait for it; it goes on where one of them cannot wait any longer, so that the next need not begin anew. */
  function loggedIn(signal: AbortSignal): Promise<string> {
    login ??= logIn(AbortSignal.timeout(LOGIN_TIMEOUT)).finally(() => {
      login = null
    })
    const given = login.then((fresh) => {
      token = fresh
      return fresh
    })
    const { promise, reject } = Promise.withResolvers<never>()
    const leave = () =>
      reject(new RetryLaterError(`${destination}: logging in was not over in time`, { code: 'no-time' }))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    return Promise.race([given, promise]).finally(() => signal.removeEventListener('abort', leave))
  }

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
      return { authorization: `Bearer ${token ?? (await loggedIn(signal))}` }
    },
    forget() {
      token = null
    },
  }
}
