import { loadServerAccess, loadServerAddress } from '../../config/reading/load.ts'
import { type Env, readProgramEnv } from '../../config/reading/placeholders.ts'
import { UserError } from '../../domain/values/errors.ts'
import { plainTls } from '../../lib/http/http-verdict.ts'
import { ownUrl, withoutEnd } from '../../lib/http/url.ts'

/**
 * The hub that this environment names: TILLBRIDGE_URL, or else the config's own hub on this machine. It may have a path, and has no slash
 * at its end: what is asked for is written behind it. Throws a UserError.
 */
export async function hubUrl({ TILLBRIDGE_URL: url, ...env }: Env): Promise<string> {
  return url ? readUrl(url) : ownUrl(await inConfig(loadServerAddress(readProgramEnv(env).configPath, env)))
}

/** The same with the admin token: TILLBRIDGE_ADMIN_TOKEN, else that of the config. `isNamed`: the hub is, by TILLBRIDGE_URL. */
export async function hubAccess(env: Env): Promise<{ url: string; token: string; isNamed: boolean }> {
  const { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: token } = env
  if (url && token) return { url: readUrl(url), token: carried('TILLBRIDGE_ADMIN_TOKEN', token), isNamed: true }
  if (url) throw new UserError('TILLBRIDGE_URL is set; set TILLBRIDGE_ADMIN_TOKEN beside it.')
  if (token) return { url: await hubUrl(env), token: carried('TILLBRIDGE_ADMIN_TOKEN', token), isNamed: false }
  // A config that is being changed, and wrong at the moment, keeps nobody from the hub that runs.
  const server = await inConfig(loadServerAccess(readProgramEnv(env).configPath, env))
  return { url: ownUrl(server), token: server.adminToken, isNamed: false }
}

/** Who stands in a folder without a config may mean a hub that is elsewhere. */
async function inConfig<T>(read: Promise<T>): Promise<T> {
  return await read.catch((error: unknown) => {
    const { cause } = error as Error
    if (!(error instanceof UserError && cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'))
      throw error
    throw new UserError(`${error.message}. A hub elsewhere is asked by TILLBRIDGE_URL and TILLBRIDGE_ADMIN_TOKEN.`, {
      cause,
    })
  })
}

/** The text may have a password in it, and is not repeated. */
function readUrl(written: string): string {
  const { protocol, username, password, search, hash, origin, pathname } = URL.parse(written) ?? { protocol: '' }
  if (!/^https?:$/.test(protocol) || username || password || search || hash)
    throw new UserError(
      'TILLBRIDGE_URL is no address of a hub: write it as https://hub.example.com, with its path where it has one, and without user, password or query.',
    )
  return `${origin}${withoutEnd(pathname ?? '', /\//)}`
}

/** A stranger, or a proxy on its way to the hub, has answered. */
export function strangerError(url: string, status: number): UserError {
  return new UserError(`Something answers at ${url} (${status}), but not as the hub does. Look at the address.`)
}

/** Signs that no header carries. */
const NOT_CARRIED = /[^\t\u0020-\u007e\u0080-\u00ff]/

/** A token or a key, as a request carries it. Throws a UserError, which does not repeat it. */
export function carried(name: string, secret: string): string {
  if (!NOT_CARRIED.test(secret)) return secret
  throw new UserError(`${name} has a sign in it that no token has, such as a line break at its end: copy it again.`)
}

/** Why nobody answered, in the words of what failed; what tried several addresses has none of its own. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return plainTls(error.message) || ('code' in error ? String(error.code) : error.name)
}
